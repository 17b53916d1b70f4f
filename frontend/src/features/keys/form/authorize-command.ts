/** Returns a shell command that authorizes the key. Run it as the user that Runward logs in as. */
export const authorizeCommand = (publicKey: string): string =>
  `umask 077; mkdir -p ~/.ssh && echo '${publicKey.replaceAll("'", '')}' >> ~/.ssh/authorized_keys`;
