import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { hostKeyFromBlob } from '../../src/transport/keys/host-key.js';
import { splitWireStrings, encodeWireInteger, encodeWireString } from '../../src/transport/keys/ssh-wire.js';

type AuthorityType = 'ed25519' | 'ecdsa' | 'rsa';

/** Content of a certificate, as for `ssh-keygen -s`. */
export interface CertificateFields {
  /** True: host certificate; default: user certificate. */
  host?: boolean;
  /** Logins or host names; empty: any. */
  principals?: readonly string[];
  validFrom?: Date;
  validUntil?: Date;
}

/** Key that signs certificates, like `ssh-keygen -s`. */
export interface SshAuthority {
  publicKey: string;
  fingerprint: string;
  /** @param publicKey line of the key to certify. @returns line of a `…-cert.pub` file */
  certify(publicKey: string, fields: CertificateFields): string;
}

export function sshAuthority(type: AuthorityType): SshAuthority {
  const { privateKey, publicKey } = newKey(type);
  const blob = publicBlob(type, publicKey);
  const name = splitWireStrings(blob)?.[0]?.toString() ?? '';
  return {
    publicKey: `${name} ${blob.toString('base64')}`,
    fingerprint: hostKeyFromBlob(blob).fingerprint,
    certify: (line, fields) => {
      const [plain = '', base64 = ''] = line.split(' ');
      const key = Buffer.from(base64, 'base64');
      const kind = `${plain}-cert-v01@openssh.com`;
      const content = Buffer.concat([
        encodeWireString(kind),
        encodeWireString(randomBytes(32)),
        key.subarray(4 + plain.length),
        long(4711n),
        Buffer.from([0, 0, 0, fields.host ? 2 : 1]),
        encodeWireString('of a test'),
        encodeWireString(Buffer.concat((fields.principals ?? []).map((each) => encodeWireString(each)))),
        long(secondsOf(fields.validFrom, 0n)),
        long(secondsOf(fields.validUntil, 0xffffffffffffffffn)),
        ...[encodeWireString(''), encodeWireString(''), encodeWireString('')],
        encodeWireString(blob),
      ]);
      return `${kind} ${Buffer.concat([content, encodeWireString(signature(type, privateKey, content))]).toString('base64')}`;
    },
  };
}

const newKey = (type: AuthorityType) => {
  if (type === 'ed25519') return generateKeyPairSync('ed25519');
  return type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
};

function publicBlob(type: AuthorityType, key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' });
  const part = (field: 'x' | 'y' | 'e' | 'n') => Buffer.from(jwk[field] ?? '', 'base64url');
  if (type === 'ed25519') return Buffer.concat([encodeWireString('ssh-ed25519'), encodeWireString(part('x'))]);
  if (type === 'rsa')
    return Buffer.concat([encodeWireString('ssh-rsa'), encodeWireInteger(part('e')), encodeWireInteger(part('n'))]);
  const point = Buffer.concat([Buffer.from([4]), part('x'), part('y')]);
  return Buffer.concat([
    encodeWireString('ecdsa-sha2-nistp256'),
    encodeWireString('nistp256'),
    encodeWireString(point),
  ]);
}

function signature(type: AuthorityType, privateKey: KeyObject, content: Buffer): Buffer {
  const key = createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  if (type === 'ed25519')
    return Buffer.concat([encodeWireString('ssh-ed25519'), encodeWireString(sign(null, content, key))]);
  if (type === 'rsa')
    return Buffer.concat([encodeWireString('rsa-sha2-512'), encodeWireString(sign('sha512', content, key))]);
  const both = sign('sha256', content, { key, dsaEncoding: 'ieee-p1363' });
  const numbers = Buffer.concat([encodeWireInteger(both.subarray(0, 32)), encodeWireInteger(both.subarray(32))]);
  return Buffer.concat([encodeWireString('ecdsa-sha2-nistp256'), encodeWireString(numbers)]);
}

const secondsOf = (date: Date | undefined, fallback: bigint): bigint =>
  date ? BigInt(Math.floor(date.getTime() / 1000)) : fallback;

function long(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}
