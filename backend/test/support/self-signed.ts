import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Returns a private key and a self-signed certificate (PEM), valid from yesterday to tomorrow. */
export function selfSignedCertificate(dnsName: string): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(der(0x06, COMMON_NAME), der(0x0c, Buffer.from(dnsName)))));
  const algorithm = sequence(der(0x06, ECDSA_WITH_SHA256));
  const names = sequence(der(0x82, Buffer.from(dnsName)));
  const signed = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(-1), time(1)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(der(0x06, ALTERNATIVE_NAME), der(0x04, names)))),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', signed, privateKey)]);
  const body = sequence(signed, algorithm, der(0x03, signature))
    .toString('base64')
    .replace(/.{64}(?!$)/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  };
}

const COMMON_NAME = Buffer.from('550403', 'hex');
const ALTERNATIVE_NAME = Buffer.from('551d11', 'hex');
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const bytes = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), body]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const integer = (bytes: Buffer) => der(0x02, bytes);

function time(days: number): Buffer {
  const at = new Date(Date.now() + days * 24 * 3_600_000).toISOString();
  return der(0x17, Buffer.from(`${at.slice(2, 19).replace(/\D/g, '')}Z`));
}
