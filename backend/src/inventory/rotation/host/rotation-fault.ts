import { SshError } from '../../../transport/ssh-errors.js';

export class RotationFault extends Error {
  override readonly name = 'RotationFault';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const FILE = '~/.ssh/authorized_keys';

const NOT_EDITED_TEXTS: Readonly<Record<string, string>> = {
  no_home: 'The login user has no home directory on the host. Create one and set it in the account.',
  not_readable: `${FILE} on the host is not readable by the login user. Make that user its owner.`,
  not_writable: `${FILE} or its folder on the host is not writable by the login user, so nothing was changed. Make that user the owner of both, or replace the key with the tool that manages the file.`,
  no_space: `The host could not write a new ${FILE}, so the file is unchanged. Check the free space and the quota of the home directory.`,
  too_large: `${FILE} on the host is larger than 1 MiB, so it was not changed. Remove old lines.`,
  busy: `Another process held the lock of ${FILE} on the host for too long, so nothing was changed. Try again.`,
  changed_meanwhile: `${FILE} on the host was repeatedly changed by another process, so Runward changed nothing. Try again.`,
};

export function notEditedFault(word: string): RotationFault {
  const message = NOT_EDITED_TEXTS[word];
  return message === undefined
    ? new RotationFault(
        'no_shell',
        `The host ran no shell command for the login user, so ${FILE} could not be read. Check the login shell, and any ForceCommand or command="…".`,
      )
    : new RotationFault(word, message);
}

export const interruptedFault = (): RotationFault =>
  new RotationFault(
    'connection_lost',
    `The host stopped answering while ${FILE} was read or changed. Try again: Runward reads the actual state first and repeats nothing.`,
  );

export const keyNotInFile = (): RotationFault =>
  new RotationFault(
    'key_not_in_file',
    `The login with the old key worked, but the key is not in ${FILE} on the host. Its sshd reads keys from elsewhere (AuthorizedKeysFile, AuthorizedKeysCommand, a certificate). Nothing was changed. Replace the key there, set the new key on the server, and try again.`,
  );

export const newKeyRefused = ({ message }: SshError): RotationFault =>
  new RotationFault(
    'new_key_refused',
    `The new public key is in ${FILE}, but the host refuses it: ${message} The old key stays in use.`,
  );

export const oldKeyAccepted = (): RotationFault =>
  new RotationFault(
    'old_key_accepted',
    `The server uses the new key, and the old one is no longer in ${FILE}, but the host still accepts the old one from elsewhere (AuthorizedKeysFile, AuthorizedKeysCommand). Remove it there, and try again.`,
  );

export const notPinnedFault = (): RotationFault =>
  new RotationFault(
    'host_key_not_pinned',
    'The server has no accepted host key, so nothing was sent to it. Check it, accept its key, and try again.',
  );

/** Returns code and message of an error of the host; null: another error. */
export function faultOf(error: unknown): { code: string; message: string } | null {
  return error instanceof RotationFault || error instanceof SshError
    ? { code: error.code, message: error.message }
    : null;
}
