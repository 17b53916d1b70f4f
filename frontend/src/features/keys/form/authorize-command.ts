/** Shell command that authorizes the key; run as the login user of Runward. */
export const authorizeCommand = (publicKey: string): string =>
  `umask 077; mkdir -p ~/.ssh && echo '${publicKey.replaceAll("'", '')}' >> ~/.ssh/authorized_keys`;
