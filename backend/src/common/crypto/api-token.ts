import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * Formats:
 *
 * - API token: `runward_<id, 12>_<secret, 43>_<checksum, 6>`
 * - Enrolment token: `runward-enrol_<id, 12>_<secret, 43>_<checksum, 6>`
 * - Session: `runward-session_<secret, 43>_<checksum, 6>`
 *
 * All parts are base62: a double click selects the whole token, and no escaping is needed. 43 random characters have
 * 256 bits. The checksum is the CRC-32 of everything before it. It detects mistyped or cut tokens without a database
 * query, and lets secret scanners verify a match.
 */
const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TOKEN_PREFIX = 'runward_';
const ENROLMENT_PREFIX = 'runward-enrol_';
const SESSION_PREFIX = 'runward-session_';
const ID_LENGTH = 12;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const TOKEN_PATTERN = /^(runward_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})_)([0-9A-Za-z]{6})$/;
const ENROLMENT_TOKEN_PATTERN = /^(runward-enrol_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})_)([0-9A-Za-z]{6})$/;
const SESSION_SECRET_PATTERN = /^(runward-session_[0-9A-Za-z]{43}_)([0-9A-Za-z]{6})$/;

export interface MintedToken {
  /** Shown once to its owner; never stored. */
  token: string;
  /** Lookup key of the token; not secret. */
  id: string;
  /** SHA-256 of the secret, 32 bytes. Stored instead of the secret. */
  secretHash: Buffer;
}

export const mintToken = (): MintedToken => mintWithPrefix(TOKEN_PREFIX);

/** Creates a token with which one host registers itself. Not interchangeable with API tokens. */
export const mintEnrolmentToken = (): MintedToken => mintWithPrefix(ENROLMENT_PREFIX);

function mintWithPrefix(prefix: string): MintedToken {
  const id = randomBase62(ID_LENGTH);
  const secret = randomBase62(SECRET_LENGTH);
  return { token: appendChecksum(`${prefix}${id}_${secret}_`), id, secretHash: hashSecret(secret) };
}

/** Returns null if the text is not an API token or has a wrong checksum. Does not check whether the token is valid. */
export const parseToken = (text: string) => parseWithPattern(TOKEN_PATTERN, text);

/** Like `parseToken`, for enrolment tokens. */
export const parseEnrolmentToken = (text: string) => parseWithPattern(ENROLMENT_TOKEN_PATTERN, text);

function parseWithPattern(form: RegExp, text: string): { id: string; secret: string } | null {
  const [, body = '', id = '', secret = '', checksum] = form.exec(text) ?? [];
  return checksum !== undefined && checksum === computeChecksum(body) ? { id, secret } : null;
}

export function readTokenPrefix(token: string): string {
  return token.slice(0, token.indexOf('_') + 1 + ID_LENGTH);
}

export function mintSessionSecret(): { secret: string; secretHash: Buffer } {
  const secret = appendChecksum(`${SESSION_PREFIX}${randomBase62(SECRET_LENGTH)}_`);
  return { secret, secretHash: hashSecret(secret) };
}

/** Returns the secret of a session cookie; null if the text is not a session cookie or has a wrong checksum. */
export function parseSessionSecret(text: string): string | null {
  const [, body = '', checksum] = SESSION_SECRET_PATTERN.exec(text) ?? [];
  return checksum !== undefined && checksum === computeChecksum(body) ? text : null;
}

/** SHA-256, 32 bytes. Needs no slow hash: the secrets have 256 random bits and cannot be guessed. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function appendChecksum(body: string): string {
  return body + computeChecksum(body);
}

function computeChecksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  while (text.length < CHECKSUM_LENGTH) {
    text = (BASE62_DIGITS[rest % BASE62_DIGITS.length] as string) + text;
    rest = Math.floor(rest / BASE62_DIGITS.length);
  }
  return text;
}

function randomBase62(length: number): string {
  return Array.from({ length }, () => BASE62_DIGITS[randomInt(BASE62_DIGITS.length)]).join('');
}
