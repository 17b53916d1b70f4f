import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

/** Bytes of a master key. */
export const MASTER_KEY_BYTES = 32;

/** Bytes of a master key's id; what is sealed carries them, so this never changes. */
export const MASTER_KEY_ID_BYTES = 8;

/** The key that wraps every data key of the installation. */
export interface MasterKey {
  /** Tells keys apart and says nothing about the key: 16 hexadecimal digits of a hash. */
  readonly id: string;
  /** 32 bytes. Not enumerable when it comes from {@link parseMasterKey}, so that printing the object doesn't print it. */
  readonly key: Buffer;
  /** The same, ready for use: making it ready for each cipher or hash anew takes longer than those. Not enumerable either. */
  readonly secret: KeyObject;
}

/**
 * Reads a master key.
 * @param base64 32 bytes in standard base64, 44 characters with the `=` at the end
 * @throws Error whose message says what is expected and never repeats the text
 */
export function parseMasterKey(base64: string): MasterKey {
  const key = Buffer.from(base64, 'base64');
  // Buffer.from skips what isn't base64; only writing the bytes again shows that all of the text was read.
  if (key.toString('base64') !== base64) {
    throw new Error('The master key is not base64. Make one with: head -c 32 /dev/urandom | base64');
  }
  if (key.length !== MASTER_KEY_BYTES) {
    throw new Error(
      `The master key has ${key.length} bytes, but needs exactly ${MASTER_KEY_BYTES}. Make one with: head -c 32 /dev/urandom | base64`,
    );
  }
  return masterKey(key);
}

/** A new random master key, and the text that {@link parseMasterKey} reads. */
export function generateMasterKey(): { masterKey: MasterKey; base64: string } {
  const key = randomBytes(MASTER_KEY_BYTES);
  return { masterKey: masterKey(key), base64: key.toString('base64') };
}

function masterKey(key: Buffer): MasterKey {
  const hash = createHash('sha256').update('runward master key id\0').update(key).digest('hex');
  const id = hash.slice(0, 2 * MASTER_KEY_ID_BYTES);
  return Object.defineProperties({ id } as MasterKey, { key: { value: key }, secret: { value: createSecretKey(key) } });
}
