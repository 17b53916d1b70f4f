import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { MASTER_KEY_ID_BYTES, type MasterKey } from './master-key.js';

/**
 * Envelope encryption: AES-256-GCM with a random data key per sealed value. The master key encrypts the data key. Both
 * layers are bound to the record and field of the value.
 *
 * Layout, in bytes:
 *
 *     1    format, 1
 *     8    ID of the master key
 *     60   data key, encrypted with the master key: 12 nonce, 16 tag, 32 data key
 *     28+n value of n bytes, encrypted with the data key: 12 nonce, 16 tag, n value
 */
const FORMAT_VERSION = 1;
const CIPHER_ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const DATA_KEY_BYTES = 32;
const TAG_BYTES = 16;
const WRAPPED_KEY_OFFSET = 1 + MASTER_KEY_ID_BYTES;
const VALUE_OFFSET = WRAPPED_KEY_OFFSET + NONCE_BYTES + DATA_KEY_BYTES + TAG_BYTES;
const ENVELOPE_OVERHEAD_BYTES = VALUE_OFFSET + NONCE_BYTES + TAG_BYTES;

/**
 * Tenant, record and field of a sealed value. The value opens only in the same context, so it cannot be moved to
 * another record.
 */
export interface SealContext {
  readonly tenant: string;
  readonly table: string;
  readonly record: string;
  readonly field: string;
  /** Version of the value, an integer from 0. Prevents that an older value is put back. */
  readonly version: number;
}

export type SealErrorCode = 'malformed' | 'unknown_format' | 'wrong_master_key' | 'refused' | 'bad_context';

/** The message contains neither the value nor a key. */
export class SealError extends Error {
  constructor(
    readonly code: SealErrorCode,
    message: string,
  ) {
    super(message);
    this.name = 'SealError';
  }
}

/** Encrypts `plaintext` for one context. @throws SealError if the context has an empty part */
export function sealValue(masterKey: MasterKey, plaintext: Buffer, context: SealContext): Buffer {
  const dataKey = randomBytes(DATA_KEY_BYTES);
  try {
    const value = encrypt(dataKey, plaintext, toAdditionalData('value', context));
    return Buffer.concat([wrapDataKey(masterKey, dataKey, context), value]);
  } finally {
    dataKey.fill(0);
  }
}

/**
 * Decrypts the result of {@link sealValue}.
 * @throws SealError if the context or master key differs, or the data was changed
 */
export function openSealedValue(masterKey: MasterKey, sealed: Buffer, context: SealContext): Buffer {
  const dataKey = unwrapDataKey(masterKey, sealed, context);
  try {
    return decrypt(dataKey, sealed.subarray(VALUE_OFFSET), toAdditionalData('value', context));
  } finally {
    dataKey.fill(0);
  }
}

/**
 * Encrypts the data key with the new master key. The encrypted value does not change. Verifies data that already uses
 * `newKey` and returns it unchanged, so an interrupted rotation can be restarted.
 * @throws SealError like {@link openSealedValue}
 */
export function rewrapDataKey(oldKey: MasterKey, newKey: MasterKey, sealed: Buffer, context: SealContext): Buffer {
  const done = readMasterKeyId(sealed) === newKey.id;
  const dataKey = unwrapDataKey(done ? newKey : oldKey, sealed, context);
  try {
    return done ? sealed : Buffer.concat([wrapDataKey(newKey, dataKey, context), sealed.subarray(VALUE_OFFSET)]);
  } finally {
    dataKey.fill(0);
  }
}

/** @throws SealError if this is not sealed data */
export function readMasterKeyId(sealed: Buffer): string {
  if (sealed.length < ENVELOPE_OVERHEAD_BYTES) throw new SealError('malformed', 'The sealed value is truncated.');
  if (sealed[0] !== FORMAT_VERSION) {
    throw new SealError(
      'unknown_format',
      `The sealed value has format ${sealed[0]}; this version of Runward reads ${FORMAT_VERSION}.`,
    );
  }
  return sealed.toString('hex', 1, WRAPPED_KEY_OFFSET);
}

function wrapDataKey(masterKey: MasterKey, dataKey: Buffer, context: SealContext): Buffer {
  const head = Buffer.concat([Buffer.of(FORMAT_VERSION), Buffer.from(masterKey.id, 'hex')]);
  return Buffer.concat([head, encrypt(masterKey.secret, dataKey, toAdditionalData('data key', context, head))]);
}

function unwrapDataKey(masterKey: MasterKey, sealed: Buffer, context: SealContext): Buffer {
  const keyId = readMasterKeyId(sealed);
  if (keyId !== masterKey.id) {
    throw new SealError(
      'wrong_master_key',
      `Sealed under master key ${keyId}, but the current key is ${masterKey.id}.`,
    );
  }
  return decrypt(
    masterKey.secret,
    sealed.subarray(WRAPPED_KEY_OFFSET, VALUE_OFFSET),
    toAdditionalData('data key', context, sealed.subarray(0, WRAPPED_KEY_OFFSET)),
  );
}

function encrypt(key: Buffer | KeyObject, plaintext: Buffer, additionalData: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER_ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(additionalData);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

function decrypt(key: Buffer | KeyObject, box: Buffer, additionalData: Buffer): Buffer {
  // Without authTagLength, Node.js would accept shorter tags, and a tag of four bytes can be guessed.
  const decipher = createDecipheriv(CIPHER_ALGORITHM, key, box.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(additionalData)
    .setAuthTag(box.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(box.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealError(
      'refused',
      'The sealed value was changed, or it was sealed for another record, field or version.',
    );
  }
}

/**
 * Additional authenticated data of a layer. Each part has a length prefix, so that different contexts never produce the
 * same bytes.
 */
function toAdditionalData(layer: 'value' | 'data key', context: SealContext, head: Buffer = Buffer.alloc(0)): Buffer {
  const { tenant, table, record, field, version } = context;
  if (![tenant, table, record, field].every((part) => typeof part === 'string' && part !== '')) {
    throw new SealError('bad_context', 'Name tenant, table, record and field; none may be empty.');
  }
  if (!Number.isSafeInteger(version) || version < 0) {
    throw new SealError('bad_context', 'The version must be a whole number from 0 up.');
  }
  const parts = [`runward ${layer}`, tenant, table, record, field, String(version)].map((part) => Buffer.from(part));
  return Buffer.concat([...parts, head].flatMap((part) => [toLengthPrefix(part), part]));
}

function toLengthPrefix(part: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}
