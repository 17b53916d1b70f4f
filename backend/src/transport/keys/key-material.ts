import { type JsonWebKey, type KeyObject, generateKeyPair as generate } from 'node:crypto';
import { promisify } from 'node:util';
import { computeFingerprint } from './host-key.js';
import { isTooCostly, type KeyDerivation, readOpenSshDerivation, readPkcs8Derivation } from './key-cost.js';
import { KeyMaterialError } from './key-material-error.js';
import type { KeyAnswer, KeyRefusal, KeyRequest } from './key-thread.js';
import { writeOpenSshKey } from './openssh-key-format.js';

export { KeyMaterialError } from './key-material-error.js';

type KeyType = 'ed25519' | 'rsa' | 'ecdsa';

export interface KeyMaterial {
  type: KeyType;
  /** 256 for Ed25519; otherwise size of the modulus or curve. */
  bits: number;
  /** Line for an authorized_keys file: `ssh-ed25519 AAAA… comment`. */
  publicKey: string;
  fingerprint: string;
  /** In OpenSSH format, not encrypted. */
  privateKey: string;
}

export interface GenerateKeyOptions {
  type: KeyType;
  /** RSA: 2048 to 8192, default 3072. ECDSA: 256 (default), 384 or 521. Not allowed for Ed25519. */
  bits?: number;
  comment?: string;
}

/** Carries out a request. Text from users is processed in a thread. */
export type KeyRequestHandler = (request: KeyRequest) => Promise<KeyAnswer>;

const generateKeyObjects = promisify(generate);
const RSA_BITS = { min: 2048, usual: 3072, max: 8192 };
const KEY_TYPE_BY_JWK_TYPE: Record<string, KeyType> = { OKP: 'ed25519', RSA: 'rsa', EC: 'ecdsa' };
const CURVE_BY_BITS: Record<number, string> = { 256: 'P-256', 384: 'P-384', 521: 'P-521' };

/** @param work generates RSA keys, which takes seconds */
export async function generateKeyPair(
  { type, bits, comment = '' }: GenerateKeyOptions,
  work?: KeyRequestHandler,
): Promise<KeyMaterial> {
  if (type === 'rsa') {
    const requestedBits = bits ?? RSA_BITS.usual;
    if (!Number.isInteger(requestedBits) || requestedBits < RSA_BITS.min || requestedBits > RSA_BITS.max)
      throw createUnsupportedKeyError(`An RSA key has ${RSA_BITS.min} to ${RSA_BITS.max} bits.`);
    if (work) return toKeyMaterial(await work({ kind: 'generate', bits: requestedBits }), comment);
  }
  const key = await generatePrivateKey(type, bits);
  const answer = { ok: true, jwk: key.export({ format: 'jwk' }), bits: getKeyBits(key), comment: '' } as const;
  return toKeyMaterial(answer, comment);
}

async function generatePrivateKey(type: KeyType, bits?: number): Promise<KeyObject> {
  if (type === 'ed25519') return (await generateKeyObjects('ed25519', undefined)).privateKey;
  if (type === 'rsa') return (await generateKeyObjects('rsa', { modulusLength: bits ?? RSA_BITS.usual })).privateKey;
  const namedCurve = CURVE_BY_BITS[bits ?? 256];
  if (!namedCurve) throw createUnsupportedKeyError('An ECDSA key has 256, 384 or 521 bits.');
  return (await generateKeyObjects('ec', { namedCurve })).privateKey;
}

const getKeyBits = (key: KeyObject) => key.asymmetricKeyDetails?.modulusLength ?? 256;

/**
 * Reads a private key in OpenSSH format, PEM (PKCS#1, SEC1, PKCS#8) or PuTTY version 2, with or without a passphrase.
 * The result is not encrypted: the caller must keep it secret.
 *
 * @param work parses the text; this function only reads its envelope
 * @throws KeyMaterialError, and errors of `work`
 */
export async function importPrivateKey(
  text: string,
  passphrase: string | undefined,
  work: KeyRequestHandler,
): Promise<KeyMaterial> {
  const trimmed = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .trim();
  refusePublicKey(trimmed);
  const answer = await work(toKeyRequest(trimmed, passphrase));
  return toKeyMaterial(answer, answer.ok ? answer.comment : '');
}

function refusePublicKey(text: string): void {
  if (/^(ssh-|ecdsa-sha2-|sk-)\S+ AAAA|^-----BEGIN [A-Z ]*PUBLIC KEY|^---- BEGIN SSH2 PUBLIC KEY/.test(text)) {
    throw new KeyMaterialError(
      'public_key_given',
      'This is a public key. Paste the private one, which starts with "-----BEGIN" and is in the file without ".pub".',
    );
  }
}

/** Builds the request for the thread. Refuses keys that would take too long to open. */
function toKeyRequest(text: string, passphrase?: string): KeyRequest {
  const given = passphrase ? { passphrase } : {};
  if (!text.startsWith('-----BEGIN ') || text.startsWith('-----BEGIN OPENSSH ')) {
    const body = /^-----BEGIN [A-Z ]*-----\n([^-]*)/.exec(text)?.[1];
    if (body !== undefined && passphrase) requireCheapDerivation(readOpenSshDerivation(Buffer.from(body, 'base64')));
    return { kind: 'other', text, ...given };
  }
  const { label, body } = parsePemBlock(text);
  if (label !== 'PRIVATE KEY' && label !== 'ENCRYPTED PRIVATE KEY') {
    if (!/^Proc-Type: 4,ENCRYPTED/m.test(body)) return { kind: 'pem', pem: toPem(label, body) };
    if (!passphrase) throw toKeyMaterialError('passphrase_required');
    return { kind: 'pem', pem: toPem(label, body), passphrase };
  }
  const der = Buffer.from(body, 'base64');
  const derivation = readPkcs8Derivation(der);
  if (derivation.kind === 'none') return { kind: 'der', der };
  if (derivation.kind === 'broken') throw toKeyMaterialError('damaged');
  if (!passphrase) throw toKeyMaterialError('passphrase_required');
  requireCheapDerivation(derivation);
  return { kind: 'der', der, passphrase };
}

function parsePemBlock(text: string): { label: string; body: string } {
  const [, label, body] =
    /^-----BEGIN ((?:[A-Z]+ )?PRIVATE KEY)-----\n([^-][\s\S]*?)\n-----END \1-----/.exec(text) ?? [];
  if (label === undefined || body === undefined) throw toKeyMaterialError('damaged');
  return { label, body };
}

const toPem = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;

function requireCheapDerivation(derivation: KeyDerivation): void {
  if (derivation.kind === 'broken') throw toKeyMaterialError('damaged');
  if (derivation.kind === 'unknown') throw toKeyMaterialError('cipher');
  if (isTooCostly(derivation)) throw createUnsupportedKeyError(TOO_COSTLY_MESSAGE);
}

function toKeyMaterial(answer: KeyAnswer, comment: string): KeyMaterial {
  if (!answer.ok) throw toKeyMaterialError(answer.refusal, answer.bits);
  return encodeKeyMaterial(answer, comment);
}

function encodeKeyMaterial({ jwk, bits }: { jwk: JsonWebKey; bits: number }, comment: string): KeyMaterial {
  const type = KEY_TYPE_BY_JWK_TYPE[jwk.kty ?? ''];
  const texts = writeOpenSshKey(jwk, toOneLine(comment));
  if (!type || !texts) throw toKeyMaterialError('type');
  return {
    type,
    bits: type === 'ecdsa' ? Number(texts.name.slice(-3)) : bits,
    publicKey: texts.publicLine,
    fingerprint: computeFingerprint(texts.blob),
    privateKey: texts.privateText,
  };
}

/** A line break in a comment would start another line in an authorized_keys file. */
const toOneLine = (comment: string) => comment.replace(/[\p{Cc}\s]+/gu, ' ').trim();

const createUnsupportedKeyError = (message: string) => new KeyMaterialError('unsupported_key', message);

export const TOO_COSTLY_MESSAGE =
  'Opening this key takes too long, because its passphrase is hashed too often. Protect it again with fewer rounds: "ssh-keygen -p -a 16 -f FILE".';

function toKeyMaterialError(why: KeyRefusal, bits = 0): KeyMaterialError {
  switch (why) {
    case 'damaged':
      return new KeyMaterialError(
        'not_a_private_key',
        'This is not a private key, or it is damaged. Paste the whole file, from "-----BEGIN" to "-----END … KEY-----".',
      );
    case 'passphrase_required':
      return new KeyMaterialError('passphrase_required', 'The private key is protected. Enter its passphrase too.');
    case 'wrong_passphrase':
      return new KeyMaterialError('wrong_passphrase', 'The passphrase does not open this private key.');
    case 'type':
      return createUnsupportedKeyError(
        'This kind of key cannot be used. Use an Ed25519, ECDSA (P-256, P-384, P-521) or RSA key.',
      );
    case 'cipher':
      return createUnsupportedKeyError(
        'This key is protected with a cipher that cannot be read. Protect it again with "ssh-keygen -p -Z aes256-ctr -f FILE".',
      );
    case 'putty':
      return createUnsupportedKeyError(
        'This kind of PuTTY key cannot be read. Export it in PuTTYgen with "Conversions", "Export OpenSSH key", and paste that.',
      );
    case 'too_short':
      return createUnsupportedKeyError(
        `The RSA key has only ${bits} bits. Use one of ${RSA_BITS.min} or more, or Ed25519.`,
      );
    case 'too_long':
      return createUnsupportedKeyError(`The RSA key has ${bits} bits. Use one of at most ${RSA_BITS.max}, or Ed25519.`);
  }
}
