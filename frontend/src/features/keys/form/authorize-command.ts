/** A shell command that authorizes the key; to be run as the user that Runward signs in as. */
export const authorizeCommand = (publicKey: string): string =>
  `umask 077; mkdir -p ~/.ssh && echo '${publicKey.replaceAll("'", '')}' >> ~/.ssh/authorized_keys`;
