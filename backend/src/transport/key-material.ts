import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair as generate,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import ssh2, { type ParsedKey } from 'ssh2';
import { fingerprintOf } from './host-key.js';
import { parseProtectedKey } from './protected-key.js';
import { KeyMaterialError } from './key-material-error.js';
import { writeOpenSshKey } from './openssh-key-format.js';

export { KeyMaterialError, type KeyMaterialErrorCode } from './key-material-error.js';

export type KeyType = 'ed25519' | 'rsa' | 'ecdsa';

/** A key pair to log in with. */
export interface KeyMaterial {
  type: KeyType;
  /** 256 for Ed25519; modulus or curve size otherwise. */
  bits: number;
  /** `ssh-ed25519 AAAA… comment`, as for an authorized_keys file. */
  publicKey: string;
  /** `SHA256:` and unpadded base64. */
  fingerprint: string;
  /** OpenSSH's format, not encrypted. */
  privateKey: string;
}

export interface GenerateKeyOptions {
  type: KeyType;
  /** RSA: 2048 to 8192, 3072 unless told. ECDSA: 256 (unless told), 384 or 521. Ed25519: none. */
  bits?: number;
  comment?: string;
}

const generateKeyObjects = promisify(generate);
const RSA_BITS = { least: 2048, usual: 3072, most: 8192 };
/** Node's names. */
const TYPES: Record<string, KeyType> = { ed25519: 'ed25519', rsa: 'rsa', ec: 'ecdsa' };
const CURVES: Record<number, string> = { 256: 'P-256', 384: 'P-384', 521: 'P-521' };

/** Makes a key pair in the thread pool, so that the seconds which a long RSA key takes block nobody. */
export async function generateKeyPair({ type, bits, comment = '' }: GenerateKeyOptions): Promise<KeyMaterial> {
  return materialOf(await generatePrivateKey(type, bits), comment);
}

async function generatePrivateKey(type: KeyType, bits?: number): Promise<KeyObject> {
  switch (type) {
    case 'ed25519':
      return (await generateKeyObjects('ed25519', undefined)).privateKey;
    case 'ecdsa': {
      const namedCurve = CURVES[bits ?? 256];
      if (!namedCurve) throw unsupported('An ECDSA key has 256, 384 or 521 bits.');
      return (await generateKeyObjects('ec', { namedCurve })).privateKey;
    }
    case 'rsa': {
      const modulusLength = bits ?? RSA_BITS.usual;
      if (!Number.isInteger(modulusLength) || modulusLength < RSA_BITS.least || modulusLength > RSA_BITS.most) {
        throw unsupported(`An RSA key has ${RSA_BITS.least} to ${RSA_BITS.most} bits.`);
      }
      return (await generateKeyObjects('rsa', { modulusLength })).privateKey;
    }
  }
}

/**
 * Reads a private key as people have it: OpenSSH's format, PEM (PKCS#1, SEC1, PKCS#8) or PuTTY's version 2, with or
 * without a passphrase. The result is not encrypted, so it is for the caller to keep it secret.
 *
 * @throws KeyMaterialError
 */
export async function importPrivateKey(text: string, passphrase?: string): Promise<KeyMaterial> {
  const trimmed = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .trim();
  refusePublicKey(trimmed);
  const { key, comment } = /^-----BEGIN (?!OPENSSH )/.test(trimmed)
    ? { key: readPem(trimmed, passphrase), comment: '' }
    : await readWithSshLibrary(trimmed, passphrase);
  const material = materialOf(key, comment);
  if (!belongTogether(key)) throw notAPrivateKey();
  return material;
}

function refusePublicKey(text: string): void {
  if (/^(ssh-|ecdsa-sha2-|sk-)\S+ AAAA|^-----BEGIN [A-Z ]*PUBLIC KEY|^---- BEGIN SSH2 PUBLIC KEY/.test(text)) {
    throw new KeyMaterialError(
      'public_key_given',
      'This is a public key. Paste the private one, which starts with "-----BEGIN" and is in the file without ".pub".',
    );
  }
}

/** PEM in all its forms is read by Node itself: ssh2 knows neither PKCS#8 nor newer ciphers. */
function readPem(text: string, passphrase?: string): KeyObject {
  if (!/^-----BEGIN [A-Z ]*PRIVATE KEY-----\n/.test(text)) throw notAPrivateKey();
  const isProtected = /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(text);
  if (isProtected && !passphrase) throw passphraseRequired();
  try {
    return createPrivateKey({ key: text, ...(isProtected ? { passphrase } : {}) });
  } catch (error) {
    throw isProtected ? wrongPassphrase(error) : notAPrivateKey(error);
  }
}

async function readWithSshLibrary(text: string, passphrase?: string): Promise<{ key: KeyObject; comment: string }> {
  // without a passphrase the library stops before any costly work
  const plain = ssh2.utils.parseKey(text);
  if (!(plain instanceof Error)) return fromParsed(plain);
  if (/^PuTTY-User-Key-File-/.test(text) && /^Unsupported key format/.test(plain.message)) throw unsupported(PUTTY);
  if (!/^Encrypted /.test(plain.message)) throw unreadable(plain) ?? notAPrivateKey(plain);
  if (!passphrase) throw passphraseRequired();
  const { pem, comment } = await parseProtectedKey(text, passphrase).catch((error: Error) => {
    throw unreadable(error) ?? wrongPassphrase(error);
  });
  return { key: createPrivateKey(pem), comment };
}

function fromParsed(parsed: ParsedKey): { key: KeyObject; comment: string } {
  try {
    return { key: createPrivateKey(parsed.getPrivatePEM()), comment: parsed.comment };
  } catch (error) {
    throw notAPrivateKey(error);
  }
}

/** Faults that no passphrase would mend, by the words of ssh2 1.17. */
function unreadable(error: Error): KeyMaterialError | undefined {
  if (error instanceof KeyMaterialError) return error;
  if (/^Unsupported OpenSSH private key type/.test(error.message)) return unsupported(TYPES_TO_USE, error);
  if (/^Unsupported (cipher|kdf)|^Invalid initialization vector/.test(error.message)) return unsupported(CIPHER, error);
  if (/^(Malformed|Unsupported key format|Unsupported OpenSSH key magic)/.test(error.message))
    return notAPrivateKey(error);
  return undefined;
}

function materialOf(key: KeyObject, comment: string): KeyMaterial {
  const type = TYPES[key.asymmetricKeyType ?? ''];
  if (!type) throw unsupported(TYPES_TO_USE);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 256;
  if (type === 'rsa' && bits < RSA_BITS.least) {
    throw unsupported(`The RSA key has only ${bits} bits. Use one of ${RSA_BITS.least} or more, or Ed25519.`);
  }
  const texts = writeOpenSshKey(key.export({ format: 'jwk' }), oneLine(comment));
  if (!texts) throw unsupported(TYPES_TO_USE);
  return {
    type,
    bits: type === 'ecdsa' ? Number(texts.name.slice(-3)) : bits,
    publicKey: texts.publicLine,
    fingerprint: fingerprintOf(texts.blob),
    privateKey: texts.privateText,
  };
}

/** Whether the halves of a pair fit: otherwise it would only show as a refused login, much later. */
function belongTogether(key: KeyObject): boolean {
  const probe = Buffer.from('probe');
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  try {
    return verify(digest, probe, createPublicKey(key), sign(digest, probe, key));
  } catch {
    return false;
  }
}

/** A line break in a comment would start another line in an authorized_keys file. */
const oneLine = (comment: string) => comment.replace(/[\p{Cc}\s]+/gu, ' ').trim();

const TYPES_TO_USE = 'This kind of key cannot be used. Use an Ed25519, ECDSA (P-256, P-384, P-521) or RSA key.';
const CIPHER =
  'This key is protected with a cipher that cannot be read. Protect it anew with "ssh-keygen -p -Z aes256-ctr -f FILE".';
const PUTTY =
  'This kind of PuTTY key cannot be read. Export it in PuTTYgen with "Conversions", "Export OpenSSH key", and paste that.';

const unsupported = (message: string, cause?: unknown) => new KeyMaterialError('unsupported_key', message, cause);
const notAPrivateKey = (cause?: unknown) =>
  new KeyMaterialError(
    'not_a_private_key',
    'This is not a private key, or it is damaged. Paste the whole file, from "-----BEGIN" to "-----END … KEY-----".',
    cause,
  );
const passphraseRequired = () =>
  new KeyMaterialError('passphrase_required', 'The private key is protected. Enter its passphrase too.');
const wrongPassphrase = (cause: unknown) =>
  new KeyMaterialError('wrong_passphrase', 'The passphrase does not open this private key.', cause);
