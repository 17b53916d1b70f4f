import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/*
 * API token      runward_<id, 12>_<secret, 43>_<checksum, 6>
 * Enrolment      runward-enrol_<id, 12>_<secret, 43>_<checksum, 6>
 * Session        runward-session_<secret, 43>_<checksum, 6>
 *
 * All in base62, so that a double click selects the whole of a token and nothing needs escaping. 43 characters drawn
 * at random carry 256 bits. The checksum is CRC-32 of everything before it: a typo, or a token cut off when it was
 * copied, is told without asking the database, and secret scanners can be sure of a find.
 */
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TOKEN_PREFIX = 'runward_';
const ENROLMENT_PREFIX = 'runward-enrol_';
const SESSION_PREFIX = 'runward-session_';
const ID_LENGTH = 12;
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const TOKEN = /^(runward_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})_)([0-9A-Za-z]{6})$/;
const ENROLMENT = /^(runward-enrol_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})_)([0-9A-Za-z]{6})$/;
const SESSION = /^(runward-session_[0-9A-Za-z]{43}_)([0-9A-Za-z]{6})$/;

export interface MintedToken {
  /** Shown to its owner once and never stored. */
  token: string;
  /** What the token is looked up by; no secret. */
  id: string;
  /** SHA-256 of the secret, 32 bytes: what is stored. */
  secretHash: Buffer;
}

/** A new API token. */
export const mintToken = (): MintedToken => mint(TOKEN_PREFIX);

/** A new token with which one host registers itself. It is no API token, and no API token is one. */
export const mintEnrolmentToken = (): MintedToken => mint(ENROLMENT_PREFIX);

function mint(prefix: string): MintedToken {
  const id = randomBase62(ID_LENGTH);
  const secret = randomBase62(SECRET_LENGTH);
  return { token: withChecksum(`${prefix}${id}_${secret}_`), id, secretHash: hashSecret(secret) };
}

/** The parts of an API token, or null when it is none or its checksum is wrong. Says nothing about its being valid. */
export const parseToken = (text: string) => parse(TOKEN, text);

/** The same of an enrolment's token. */
export const parseEnrolmentToken = (text: string) => parse(ENROLMENT, text);

function parse(form: RegExp, text: string): { id: string; secret: string } | null {
  const [, body = '', id = '', secret = '', checksum] = form.exec(text) ?? [];
  return checksum !== undefined && checksum === checksumOf(body) ? { id, secret } : null;
}

/** What lists show of a token: what it begins with, and its id. */
export function tokenPrefix(token: string): string {
  return token.slice(0, token.indexOf('_') + 1 + ID_LENGTH);
}

/** A new session: the secret is the cookie's whole value, its hash is stored and looked up. */
export function mintSessionSecret(): { secret: string; secretHash: Buffer } {
  const secret = withChecksum(`${SESSION_PREFIX}${randomBase62(SECRET_LENGTH)}_`);
  return { secret, secretHash: hashSecret(secret) };
}

/** The secret in a session cookie, or null when it is none or its checksum is wrong. */
export function parseSessionSecret(text: string): string | null {
  const [, body = '', checksum] = SESSION.exec(text) ?? [];
  return checksum !== undefined && checksum === checksumOf(body) ? text : null;
}

/** SHA-256, 32 bytes. Enough, because the secrets are 256 random bits: nobody can try them all. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function withChecksum(body: string): string {
  return body + checksumOf(body);
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  while (text.length < CHECKSUM_LENGTH) {
    text = (BASE62[rest % BASE62.length] as string) + text;
    rest = Math.floor(rest / BASE62.length);
  }
  return text;
}

function randomBase62(length: number): string {
  return Array.from({ length }, () => BASE62[randomInt(BASE62.length)]).join('');
}
