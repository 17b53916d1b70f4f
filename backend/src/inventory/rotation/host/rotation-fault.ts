import { SshError } from '../../../transport/ssh-errors.js';
import { ReasonCode } from '../../../common/errors/reason-codes.js';

export class RotationFault extends Error {
  override readonly name = 'RotationFault';

  constructor(
    readonly code: ReasonCode,
    message: string,
  ) {
    super(message);
  }
}

const AUTHORIZED_KEYS_PATH = '~/.ssh/authorized_keys';

const NOT_EDITED_CODES = [
  ...(['no_home', 'not_readable', 'not_writable', 'no_space'] as const),
  ...(['too_large', 'busy', 'changed_meanwhile'] as const),
];
type NotEditedCode = (typeof NOT_EDITED_CODES)[number];

const NOT_EDITED_MESSAGES: Readonly<Record<NotEditedCode, string>> = {
  no_home: 'The login user has no home directory on the host. Create one and set it in the account.',
  not_readable: `${AUTHORIZED_KEYS_PATH} on the host is not readable by the login user. Make that user its owner.`,
  not_writable: `${AUTHORIZED_KEYS_PATH} or its folder on the host is not writable by the login user, so nothing was changed. Make that user the owner of both, or replace the key with the tool that manages the file.`,
  no_space: `The host could not write a new ${AUTHORIZED_KEYS_PATH}, so the file is unchanged. Check the free space and the quota of the home directory.`,
  too_large: `${AUTHORIZED_KEYS_PATH} on the host is larger than 1 MiB, so it was not changed. Remove old lines.`,
  busy: `Another process held the lock of ${AUTHORIZED_KEYS_PATH} on the host for too long, so nothing was changed. Try again.`,
  changed_meanwhile: `${AUTHORIZED_KEYS_PATH} on the host was repeatedly changed by another process, so Runward changed nothing. Try again.`,
};

export function createNotEditedFault(word: string): RotationFault {
  const code = NOT_EDITED_CODES.find((each) => each === word);
  return code === undefined
    ? new RotationFault(
        'no_shell',
        `The host ran no shell command for the login user, so ${AUTHORIZED_KEYS_PATH} could not be read. Check the login shell, and any ForceCommand or command="…".`,
      )
    : new RotationFault(code, NOT_EDITED_MESSAGES[code]);
}

export const createInterruptedFault = (): RotationFault =>
  new RotationFault(
    'connection_lost',
    `The host stopped answering while ${AUTHORIZED_KEYS_PATH} was read or changed. Try again: Runward reads the actual state first and repeats nothing.`,
  );

export const createKeyNotInFileFault = (): RotationFault =>
  new RotationFault(
    'key_not_in_file',
    `The login with the old key worked, but the key is not in ${AUTHORIZED_KEYS_PATH} on the host. Its sshd reads keys from elsewhere (AuthorizedKeysFile, AuthorizedKeysCommand, a certificate). Nothing was changed. Replace the key there, set the new key on the server, and try again.`,
  );

export const createNewKeyRefusedFault = ({ message }: SshError): RotationFault =>
  new RotationFault(
    'new_key_refused',
    `The new public key is in ${AUTHORIZED_KEYS_PATH}, but the host refuses it: ${message} The old key stays in use.`,
  );

export const createOldKeyAcceptedFault = (): RotationFault =>
  new RotationFault(
    'old_key_accepted',
    `The server uses the new key, and the old one is no longer in ${AUTHORIZED_KEYS_PATH}, but the host still accepts the old one from elsewhere (AuthorizedKeysFile, AuthorizedKeysCommand). Remove it there, and try again.`,
  );

export const createNotPinnedFault = (): RotationFault =>
  new RotationFault(
    'host_key_not_pinned',
    'The server has no accepted host key, so nothing was sent to it. Check it, accept its key, and try again.',
  );

/** Returns code and message of an error of the host; null: another error. */
export function toStoredFault(error: unknown): { code: string; message: string } | null {
  return error instanceof RotationFault || error instanceof SshError
    ? { code: error.code, message: error.message }
    : null;
}
