import { randomBytes, type JsonWebKey } from 'node:crypto';
import { encodeWireInteger, encodeWireString } from './ssh-wire.js';

export interface KeyTexts {
  name: string;
  blob: Buffer;
  /** `ssh-ed25519 AAAA… comment` */
  publicLine: string;
  /** `-----BEGIN OPENSSH PRIVATE KEY-----…`, not encrypted. */
  privateText: string;
}

const OPENSSH_CURVE_BY_JWK_CURVE: Record<string, string> = {
  'P-256': 'nistp256',
  'P-384': 'nistp384',
  'P-521': 'nistp521',
};
const PADDING_BLOCK_BYTES = 8;
const LINE_PATTERN = /.{1,70}/g;

/**
 * Writes a private key in OpenSSH format (OpenSSH's PROTOCOL.key), the only format that supports every key type.
 *
 * @returns undefined if SSH has no such key type
 */
export function writeOpenSshKey(jwk: JsonWebKey, comment: string): KeyTexts | undefined {
  const fields = toKeyFields(jwk);
  if (!fields) return undefined;
  const { name } = fields;
  const blob = Buffer.concat([encodeWireString(name), ...fields.public]);
  const check = randomBytes(4);
  const body = Buffer.concat([check, check, encodeWireString(name), ...fields.private, encodeWireString(comment)]);
  const padding = Array.from({ length: -body.length & (PADDING_BLOCK_BYTES - 1) }, (_, index) => index + 1);
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0', 'latin1'),
    encodeWireString('none'), // cipher
    encodeWireString('none'), // key derivation
    encodeWireString(''), // its options
    Buffer.from([0, 0, 0, 1]), // number of keys
    encodeWireString(blob),
    encodeWireString(Buffer.concat([body, Buffer.from(padding)])),
  ]);
  const lines = file.toString('base64').match(LINE_PATTERN) ?? [];
  return {
    name,
    blob,
    publicLine: [name, blob.toString('base64'), comment].filter(Boolean).join(' '),
    privateText: ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n'),
  };
}

function toKeyFields(jwk: JsonWebKey): { name: string; public: Buffer[]; private: Buffer[] } | undefined {
  const part = (member: keyof JsonWebKey) => Buffer.from(String(jwk[member]), 'base64url');
  const integer = (member: keyof JsonWebKey) => encodeWireInteger(part(member));
  if (jwk.kty === 'OKP' && jwk.crv === 'Ed25519') {
    const point = encodeWireString(part('x'));
    return {
      name: 'ssh-ed25519',
      public: [point],
      private: [point, encodeWireString(Buffer.concat([part('d'), part('x')]))],
    };
  }
  if (jwk.kty === 'RSA') {
    const [n, e] = [integer('n'), integer('e')];
    // PROTOCOL.key and RFC 4253 order the public numbers differently; each format follows its own source.
    return {
      name: 'ssh-rsa',
      public: [e, n],
      private: [n, e, integer('d'), integer('qi'), integer('p'), integer('q')],
    };
  }
  const curve = jwk.kty === 'EC' ? OPENSSH_CURVE_BY_JWK_CURVE[jwk.crv ?? ''] : undefined;
  if (!curve) return undefined;
  const point = encodeWireString(Buffer.concat([Buffer.from([4]), part('x'), part('y')])); // 4 = uncompressed point
  const both = [encodeWireString(curve), point];
  return { name: `ecdsa-sha2-${curve}`, public: both, private: [...both, integer('d')] };
}
