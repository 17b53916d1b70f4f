import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

export const MASTER_KEY_BYTES = 32;

/** Must never change, because sealed data contains the ID. */
export const MASTER_KEY_ID_BYTES = 8;

/** Encrypts every data key of the installation. */
export interface MasterKey {
  /** Identifies the key without revealing it: 16 hexadecimal digits of a hash. */
  readonly id: string;
  /** 32 bytes. Not enumerable after {@link parseMasterKey}, so that printing the object does not print the key. */
  readonly key: Buffer;
  /**
   * The same key as a KeyObject, because importing the bytes for each cipher or hash would take longer than the
   * operation. Not enumerable.
   */
  readonly secret: KeyObject;
}

/**
 * @param base64 32 bytes in standard base64: 44 characters with the trailing `=`
 * @throws Error that states the expected format and never repeats the text
 */
export function parseMasterKey(base64: string): MasterKey {
  const key = Buffer.from(base64, 'base64');
  // Buffer.from skips invalid characters. Encoding the bytes again reveals them.
  if (key.toString('base64') !== base64) {
    throw new Error('The master key is not base64. Generate one with: head -c 32 /dev/urandom | base64');
  }
  if (key.length !== MASTER_KEY_BYTES) {
    throw new Error(
      `The master key has ${key.length} bytes, but needs exactly ${MASTER_KEY_BYTES}. Generate one with: head -c 32 /dev/urandom | base64`,
    );
  }
  return createMasterKey(key);
}

export function generateMasterKey(): { masterKey: MasterKey; base64: string } {
  const key = randomBytes(MASTER_KEY_BYTES);
  return { masterKey: createMasterKey(key), base64: key.toString('base64') };
}

function createMasterKey(key: Buffer): MasterKey {
  const hash = createHash('sha256').update('runward master key id\0').update(key).digest('hex');
  const id = hash.slice(0, 2 * MASTER_KEY_ID_BYTES);
  return Object.defineProperties({ id } as MasterKey, { key: { value: key }, secret: { value: createSecretKey(key) } });
}
