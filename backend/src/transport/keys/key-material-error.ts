export type KeyMaterialErrorCode =
  | 'not_a_private_key'
  | 'passphrase_required'
  | 'wrong_passphrase'
  | 'unsupported_key'
  | 'public_key_given';

/** Why a text cannot serve as a login key. The message is for the person who pasted it, and holds nothing of the key. */
export class KeyMaterialError extends Error {
  override readonly name = 'KeyMaterialError';

  constructor(
    readonly code: KeyMaterialErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}
