/** Creates host keys for sshd without ssh-keygen. */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

/**
 * Returns the host key in `file` (public half in `file`.pub). Creates it if it does not exist. `type`: ed25519, ecdsa
 * or rsa.
 */
export async function ensureHostKey(file, type) {
  if (!existsSync(`${file}.pub`)) {
    const { name, blob, privateText } = generate(type);
    await writeFile(file, privateText, { mode: 0o600 });
    await writeFile(`${file}.pub`, `${name} ${blob.toString('base64')} runward\n`);
  }
  const [name, publicKey] = readFileSync(`${file}.pub`, 'utf8').split(' ');
  const digest = createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('base64');
  return { file, type: name, publicKey, fingerprint: `SHA256:${digest.replace(/=+$/, '')}` };
}

/** sshd reads RSA and ECDSA keys as PEM, but Ed25519 keys only in OpenSSH format. */
function generate(type) {
  if (type === 'ed25519') return generateEd25519();
  if (type === 'ecdsa') {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const { x, y } = privateKey.export({ format: 'jwk' });
    const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    const name = 'ecdsa-sha2-nistp256';
    const blob = Buffer.concat([sshString(name), sshString('nistp256'), sshString(point)]);
    return { name, blob, privateText: privateKey.export({ format: 'pem', type: 'sec1' }) };
  }
  if (type === 'rsa') {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 3072 });
    const { e, n } = privateKey.export({ format: 'jwk' });
    const blob = Buffer.concat([sshString('ssh-rsa'), sshInteger(e), sshInteger(n)]);
    return { name: 'ssh-rsa', blob, privateText: privateKey.export({ format: 'pem', type: 'pkcs1' }) };
  }
  throw new Error(`Unknown host key type ${type}: use ed25519, ecdsa or rsa.`);
}

/** Layout as in PROTOCOL.key of OpenSSH: header, public key, private part, padding 1, 2, 3, … */
function generateEd25519() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d, x } = privateKey.export({ format: 'jwk' });
  const point = Buffer.from(x, 'base64url');
  const name = 'ssh-ed25519';
  const blob = Buffer.concat([sshString(name), sshString(point)]);
  const check = randomBytes(4);
  const seedAndPoint = Buffer.concat([Buffer.from(d, 'base64url'), point]);
  const body = Buffer.concat([check, check, blob, sshString(seedAndPoint), sshString('')]);
  const padding = Buffer.from(Array.from({ length: (8 - (body.length % 8)) % 8 }, (_, index) => index + 1));
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    sshString('none'),
    sshString('none'),
    sshString(''),
    Buffer.from([0, 0, 0, 1]),
    sshString(blob),
    sshString(Buffer.concat([body, padding])),
  ]);
  const lines = file
    .toString('base64')
    .match(/.{1,70}/g)
    .join('\n');
  const label = 'OPENSSH PRIVATE KEY';
  return { name, blob, privateText: `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n` };
}

/** RFC 4251: a string is its length in four bytes, followed by its bytes. */
function sshString(value) {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** RFC 4251: the first bit of a positive integer is clear. */
function sshInteger(base64url) {
  const bytes = Buffer.from(base64url, 'base64url');
  return sshString(bytes[0] & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}
