import { SshError } from '../../../transport/ssh-errors.js';

/** Why the rotation of a key stops on one host; the message says what stands there now and what to do. */
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

const NOT_EDITED: Readonly<Record<string, string>> = {
  no_home: 'The login user has no home directory on the host. Make one, and name it in the account.',
  not_readable: `${FILE} on the host can't be read by the login user. Give the file back to that user.`,
  not_writable: `${FILE} or its folder on the host can't be written by the login user, so nothing was changed. Give both back to that user, or replace the key by whatever keeps the file.`,
  no_space: `The host could not write ${FILE} anew, so it is as it was. Check the free space and the quota of the home directory.`,
  too_large: `${FILE} on the host has more than a mebibyte, so it was left alone. Clean it up.`,
  busy: `Somebody else held the lock of ${FILE} on the host for long, so nothing was changed. Try again.`,
  changed_meanwhile: `${FILE} on the host was changed by somebody else again and again, so nothing was changed. Try again.`,
};

/** @param word what the host answered instead of changing the file */
export function notEdited(word: string): RotationFault {
  const message = NOT_EDITED[word];
  return message === undefined
    ? new RotationFault(
        'no_shell',
        `The host ran no shell command for the login user, so ${FILE} could not be looked at. Check the login shell, and a ForceCommand or command="…" that stands before it.`,
      )
    : new RotationFault(word, message);
}

export const cutOff = (): RotationFault =>
  new RotationFault(
    'connection_lost',
    `The host did not answer any more while ${FILE} was looked at or changed. Try again: what was done there is found out then, and nothing is done twice.`,
  );

export const keyNotInFile = (): RotationFault =>
  new RotationFault(
    'key_not_in_file',
    `The login with the old key worked, but the key is not in ${FILE} on the host: its sshd looks elsewhere (AuthorizedKeysFile, AuthorizedKeysCommand, a certificate). Nothing was changed. Replace the key there, give the server the new key, and try again.`,
  );

export const newKeyRefused = ({ message }: SshError): RotationFault =>
  new RotationFault(
    'new_key_refused',
    `The new public key is in ${FILE}, but the host does not let it in: ${message} The old key goes on being used.`,
  );

export const oldKeyAccepted = (): RotationFault =>
  new RotationFault(
    'old_key_accepted',
    `The server uses the new key, and the old one is no longer in ${FILE}, but the host still lets the old one in: it stands elsewhere too (AuthorizedKeysFile, AuthorizedKeysCommand). Remove it there, and try again.`,
  );

export const notPinned = (): RotationFault =>
  new RotationFault(
    'host_key_not_pinned',
    'The server has no accepted host key, so nothing was sent to it. Check it, accept its key, and try again.',
  );

/** As they are stored and told; null: it is no fault of the host. */
export function faultOf(error: unknown): { code: string; message: string } | null {
  return error instanceof RotationFault || error instanceof SshError
    ? { code: error.code, message: error.message }
    : null;
}
