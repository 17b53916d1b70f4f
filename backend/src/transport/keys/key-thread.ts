/**
 * Parses a pasted text or generates an RSA key in a thread, so that the rest of the process is not blocked. Node.js
 * loads this file directly, so it imports only types from other files.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  type PrivateKeyInput,
  sign,
  verify,
} from 'node:crypto';
import ssh2, { type ParsedKey } from 'ssh2';

export type KeyRequest =
  | { readonly kind: 'pem'; readonly pem: string; readonly passphrase?: string }
  /** PKCS#8, decoded from PEM. */
  | { readonly kind: 'der'; readonly der: Uint8Array; readonly passphrase?: string }
  /** Format of OpenSSH or PuTTY. */
  | { readonly kind: 'other'; readonly text: string; readonly passphrase?: string }
  | { readonly kind: 'generate'; readonly bits: number };

export type KeyRefusal =
  | 'damaged'
  | 'passphrase_required'
  | 'wrong_passphrase'
  | 'type'
  | 'cipher'
  | 'putty'
  | 'too_short'
  | 'too_long';

export type KeyAnswer =
  | { readonly ok: true; readonly jwk: JsonWebKey; readonly bits: number; readonly comment: string }
  | { readonly ok: false; readonly refusal: KeyRefusal; readonly bits?: number };

interface FoundKey {
  readonly key: KeyObject;
  readonly comment: string;
}

const RSA_BITS = { min: 2048, max: 8192 };
/** A longer public exponent, or a private exponent longer than the modulus, makes signing much slower. */
const MAX_EXPONENT_BITS = 64;

export default function handleKeyRequest(request: KeyRequest): KeyAnswer {
  if (request.kind === 'generate')
    return toKeyAnswer({ key: generateKeyPairSync('rsa', { modulusLength: request.bits }).privateKey, comment: '' });
  const found = request.kind === 'other' ? readKeyBySsh2(request.text, request.passphrase) : readKeyByNode(request);
  return typeof found === 'string' ? { ok: false, refusal: found } : toKeyAnswer(found);
}

/** Node.js reads all PEM formats. ssh2 supports neither PKCS#8 nor newer ciphers. */
function readKeyByNode(request: Extract<KeyRequest, { kind: 'pem' | 'der' }>): FoundKey | KeyRefusal {
  const { passphrase } = request;
  const input: PrivateKeyInput =
    request.kind === 'pem'
      ? { key: request.pem }
      : { key: Buffer.from(request.der), format: 'der' as const, type: 'pkcs8' as const };
  try {
    return { key: createPrivateKey({ ...input, ...(passphrase === undefined ? {} : { passphrase }) }), comment: '' };
  } catch {
    return passphrase === undefined ? 'damaged' : 'wrong_passphrase';
  }
}

function readKeyBySsh2(text: string, passphrase?: string): FoundKey | KeyRefusal {
  // Without a passphrase, ssh2 stops before expensive work.
  const plain = ssh2.utils.parseKey(text);
  if (!(plain instanceof Error)) return fromParsedKey(plain);
  if (/^PuTTY-User-Key-File-/.test(text) && /^Unsupported key format/.test(plain.message)) return 'putty';
  if (!/^Encrypted /.test(plain.message)) return toKeyRefusal(plain) ?? 'damaged';
  if (!passphrase) return 'passphrase_required';
  const opened = ssh2.utils.parseKey(text, passphrase);
  return opened instanceof Error ? (toKeyRefusal(opened) ?? 'wrong_passphrase') : fromParsedKey(opened);
}

function fromParsedKey(parsed: ParsedKey): FoundKey | KeyRefusal {
  try {
    return { key: createPrivateKey(parsed.getPrivatePEM()), comment: parsed.comment };
  } catch {
    return 'damaged';
  }
}

/** Errors that a passphrase would not fix, by message of ssh2 1.17. */
function toKeyRefusal({ message }: Error): KeyRefusal | undefined {
  if (/^Unsupported OpenSSH private key type/.test(message)) return 'type';
  if (/^Unsupported (cipher|kdf)|^Invalid initialization vector/.test(message)) return 'cipher';
  return /^(Malformed|Unsupported key format|Unsupported OpenSSH key magic)/.test(message) ? 'damaged' : undefined;
}

function toKeyAnswer({ key, comment }: FoundKey): KeyAnswer {
  const type = key.asymmetricKeyType ?? '';
  if (!['ed25519', 'rsa', 'ec'].includes(type)) return { ok: false, refusal: 'type' };
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 256;
  if (type === 'rsa' && bits < RSA_BITS.min) return { ok: false, refusal: 'too_short', bits };
  if (type === 'rsa' && bits > RSA_BITS.max) return { ok: false, refusal: 'too_long', bits };
  const jwk = exportJwk(key);
  if (jwk === null) return { ok: false, refusal: type === 'ec' ? 'type' : 'damaged' };
  if (type === 'rsa' && !hasValidRsaNumbers(jwk, bits)) return { ok: false, refusal: 'damaged' };
  return isKeyPair(key) ? { ok: true, jwk, bits, comment } : { ok: false, refusal: 'damaged' };
}

/** Null if the curve or RSA variant has no JWK form. */
function exportJwk(key: KeyObject): JsonWebKey | null {
  try {
    return key.export({ format: 'jwk' });
  } catch {
    return null;
  }
}

function hasValidRsaNumbers(jwk: JsonWebKey, bits: number): boolean {
  const { n, e, d, p, q } = jwk;
  if (!n || !e || !d || !p || !q) return false;
  const number = (text: string) => BigInt(`0x0${Buffer.from(text, 'base64url').toString('hex')}`);
  const lengthOf = (text: string) => number(text).toString(2).length;
  return lengthOf(e) <= MAX_EXPONENT_BITS && lengthOf(d) <= bits && number(p) * number(q) === number(n);
}

/** Whether public and private key match. A mismatch would otherwise only appear much later, as a refused login. */
function isKeyPair(key: KeyObject): boolean {
  const probe = Buffer.from('probe');
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  try {
    return verify(digest, probe, createPublicKey(key), sign(digest, probe, key));
  } catch {
    return false;
  }
}
