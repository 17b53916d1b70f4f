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
const FORMAT = 1;
const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const DATA_KEY = 32;
const TAG = 16;
const WRAPPED_KEY_OFFSET = 1 + MASTER_KEY_ID_BYTES;
const VALUE_OFFSET = WRAPPED_KEY_OFFSET + NONCE + DATA_KEY + TAG;
const OVERHEAD = VALUE_OFFSET + NONCE + TAG;

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
export function seal(masterKey: MasterKey, plaintext: Buffer, context: SealContext): Buffer {
  const dataKey = randomBytes(DATA_KEY);
  try {
    const value = encrypt(dataKey, plaintext, bind('value', context));
    return Buffer.concat([wrap(masterKey, dataKey, context), value]);
  } finally {
    dataKey.fill(0);
  }
}

/**
 * Decrypts the result of {@link seal}.
 * @throws SealError if the context or master key differs, or the data was changed
 */
export function open(masterKey: MasterKey, sealed: Buffer, context: SealContext): Buffer {
  const dataKey = unwrap(masterKey, sealed, context);
  try {
    return decrypt(dataKey, sealed.subarray(VALUE_OFFSET), bind('value', context));
  } finally {
    dataKey.fill(0);
  }
}

/**
 * Encrypts the data key with the new master key. The encrypted value does not change. Verifies data that already uses
 * `newKey` and returns it unchanged, so an interrupted rotation can be restarted.
 * @throws SealError like {@link open}
 */
export function rewrap(oldKey: MasterKey, newKey: MasterKey, sealed: Buffer, context: SealContext): Buffer {
  const done = masterKeyIdOf(sealed) === newKey.id;
  const dataKey = unwrap(done ? newKey : oldKey, sealed, context);
  try {
    return done ? sealed : Buffer.concat([wrap(newKey, dataKey, context), sealed.subarray(VALUE_OFFSET)]);
  } finally {
    dataKey.fill(0);
  }
}

/** @throws SealError if this is not sealed data */
export function masterKeyIdOf(sealed: Buffer): string {
  if (sealed.length < OVERHEAD) throw new SealError('malformed', 'The sealed value is truncated.');
  if (sealed[0] !== FORMAT) {
    throw new SealError(
      'unknown_format',
      `The sealed value has format ${sealed[0]}; this version of Runward reads ${FORMAT}.`,
    );
  }
  return sealed.toString('hex', 1, WRAPPED_KEY_OFFSET);
}

function wrap(masterKey: MasterKey, dataKey: Buffer, context: SealContext): Buffer {
  const head = Buffer.concat([Buffer.of(FORMAT), Buffer.from(masterKey.id, 'hex')]);
  return Buffer.concat([head, encrypt(masterKey.secret, dataKey, bind('data key', context, head))]);
}

function unwrap(masterKey: MasterKey, sealed: Buffer, context: SealContext): Buffer {
  const keyId = masterKeyIdOf(sealed);
  if (keyId !== masterKey.id) {
    throw new SealError(
      'wrong_master_key',
      `Sealed under master key ${keyId}, but the current key is ${masterKey.id}.`,
    );
  }
  return decrypt(
    masterKey.secret,
    sealed.subarray(WRAPPED_KEY_OFFSET, VALUE_OFFSET),
    bind('data key', context, sealed.subarray(0, WRAPPED_KEY_OFFSET)),
  );
}

function encrypt(key: Buffer | KeyObject, plaintext: Buffer, additionalData: Buffer): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG }).setAAD(additionalData);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

function decrypt(key: Buffer | KeyObject, box: Buffer, additionalData: Buffer): Buffer {
  // Without authTagLength, Node.js would accept shorter tags, and a tag of four bytes can be guessed.
  const decipher = createDecipheriv(ALGORITHM, key, box.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(additionalData)
    .setAuthTag(box.subarray(NONCE, NONCE + TAG));
  try {
    return Buffer.concat([decipher.update(box.subarray(NONCE + TAG)), decipher.final()]);
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
function bind(layer: 'value' | 'data key', context: SealContext, head: Buffer = Buffer.alloc(0)): Buffer {
  const { tenant, table, record, field, version } = context;
  if (![tenant, table, record, field].every((part) => typeof part === 'string' && part !== '')) {
    throw new SealError('bad_context', 'Name tenant, table, record and field; none may be empty.');
  }
  if (!Number.isSafeInteger(version) || version < 0) {
    throw new SealError('bad_context', 'The version must be a whole number from 0 up.');
  }
  const parts = [`runward ${layer}`, tenant, table, record, field, String(version)].map((part) => Buffer.from(part));
  return Buffer.concat([...parts, head].flatMap((part) => [lengthOf(part), part]));
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}
