export type KeyMaterialErrorCode =
  | 'not_a_private_key'
  | 'passphrase_required'
  | 'wrong_passphrase'
  | 'unsupported_key'
  | 'public_key_given';

/**
 * The text is not a usable login key. The message is for the user who pasted the text, and contains nothing of the key.
 */
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
