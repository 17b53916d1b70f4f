import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { QueueTurn } from '../fairness/fair-queue.js';
import { runInQueue, passwordQueue } from './password-queue.js';

/** OWASP's argon2id parameters with the least memory: 19 MiB, two passes, one lane; about 30 ms. */
const HASH_COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Upper limits for stored hashes: a manipulated hash cannot make a sign-in cost gigabytes or minutes. */
const MAX_HASH_COST = { memory: 1_048_576, passes: 16, parallelism: 16 };

const ENCODED_HASH_PATTERN =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,86})$/;

const deriveKey = promisify(argon2);

/** For the first start and the command line, which have no request. */
const INTERNAL_QUEUE_TURN: QueueTurn = { key: '', known: true };

/**
 * Hashes a password outside the event loop.
 * @returns PHC string, such as `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`
 * @throws Problem 429 `too_many_at_once`, 503 `busy`
 */
export async function hashPassword(password: string, turn: QueueTurn = INTERNAL_QUEUE_TURN): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const parameters = { ...HASH_COST, nonce, message: normalisePassword(password), tagLength: TAG_BYTES };
  return encodeHash(nonce, await runInQueue(passwordQueue, turn, () => deriveKey('argon2id', parameters)));
}

/**
 * Whether `password` matches the stored PHC string. An invalid string matches no password.
 * @throws Problem 429 `too_many_at_once`, 503 `busy`
 */
export async function verifyPassword(
  encoded: string,
  password: string,
  turn: QueueTurn = INTERNAL_QUEUE_TURN,
): Promise<boolean> {
  const stored = decodeHash(encoded);
  if (!stored) return false;
  const { tag, ...parameters } = stored;
  const actual = await runInQueue(passwordQueue, turn, () =>
    deriveKey('argon2id', { ...parameters, message: normalisePassword(password), tagLength: tag.length }),
  );
  return timingSafeEqual(actual, tag);
}

let cachedDummyHash: string | undefined;

/**
 * Returns a hash that matches no password. Verifying it takes as long as verifying a member's hash, so sign-in time
 * does not reveal whether the member exists. Its tag is random instead of computed, so that the first use is not
 * slower.
 */
export async function getDummyHash(): Promise<string> {
  cachedDummyHash ??= encodeHash(randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));
  return cachedDummyHash;
}

/**
 * Normalizes, because keyboards may produce different code points for the same characters (NIST SP 800-63B, 5.1.1.2).
 */
function normalisePassword(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'));
}

function encodeHash(salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = HASH_COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toUnpaddedBase64(salt)}$${toUnpaddedBase64(tag)}`;
}

function decodeHash(encoded: string): (Omit<Argon2Parameters, 'message' | 'tagLength'> & { tag: Buffer }) | null {
  const [, m, t, p, salt = '', hash = ''] = ENCODED_HASH_PATTERN.exec(encoded) ?? [];
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) };
  // argon2 needs 8 KiB per lane.
  const isValid =
    cost.parallelism >= 1 &&
    cost.parallelism <= MAX_HASH_COST.parallelism &&
    cost.passes >= 1 &&
    cost.passes <= MAX_HASH_COST.passes &&
    cost.memory >= 8 * cost.parallelism &&
    cost.memory <= MAX_HASH_COST.memory;
  return isValid ? { ...cost, nonce: Buffer.from(salt, 'base64'), tag: Buffer.from(hash, 'base64') } : null;
}

function toUnpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
