/** A line for a server's shell that lets the key in; run as the user that Runward signs in as. */
export const authorizeCommand = (publicKey: string): string =>
  `umask 077; mkdir -p ~/.ssh && echo '${publicKey.replaceAll("'", '')}' >> ~/.ssh/authorized_keys`;
