import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import ssh2 from 'ssh2';
import { importPrivateKey } from '../../../test/support/import-key.js';
import { generateKeyPair, KeyMaterialError, type KeyMaterial } from './key-material.js';

/** Written by ssh-keygen 9.2; the passphrase is "open sesame ž". */
const PROTECTED = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABChiOxYhp
EuqGFIJ2UWHt7qAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIBD7tT9DctkSnXlv
zvnFawVBcviafjpi9nlqnfwuYr+2AAAAoG74nAGllAaZ5+XcOpTqI5ONpY/EtltMJPl5A2
d+bGvXpoEr53zi+Lf/3oxeGjdkGEprYk1Azb3k1lxnT0YNUuWuFkFrMgaHcb29y1Cg2t7S
4eq8mZKn3ohAEBhzxpD4V/rlugYtP3gXmcChzNnDMbDmnLMfzbfEZZAxMU1cYcmcj6DPTh
9lexIeIs8BAQiYNCBvtokl/7O1GQVDaVmg4FM=
-----END OPENSSH PRIVATE KEY-----
`;
const PROTECTED_PUBLIC =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBD7tT9DctkSnXlvzvnFawVBcviafjpi9nlqnfwuYr+2 ann@example.org';

async function failureOf(attempt: Promise<KeyMaterial>): Promise<KeyMaterialError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(KeyMaterialError);
  return error as KeyMaterialError;
}

function publicHalf(privateKey: string): string {
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return `${parsed.type} ${parsed.getPublicSSH().toString('base64')} ${parsed.comment}`.trim();
}

describe('a generated key', () => {
  it.each([
    { type: 'ed25519', size: 256, name: 'ssh-ed25519' },
    { type: 'ecdsa', size: 256, name: 'ecdsa-sha2-nistp256' },
    { type: 'ecdsa', bits: 384, size: 384, name: 'ecdsa-sha2-nistp384' },
    { type: 'ecdsa', bits: 521, size: 521, name: 'ecdsa-sha2-nistp521' },
    { type: 'rsa', size: 3072, name: 'ssh-rsa' },
    { type: 'rsa', bits: 2048, size: 2048, name: 'ssh-rsa' },
  ] as const)('of type $type with $size bits is read by the SSH library', async ({ size, name, ...options }) => {
    const key = await generateKeyPair({ ...options, comment: 'runward web' });
    expect(key).toMatchObject({ type: options.type, bits: size });
    expect(key.publicKey).toMatch(new RegExp(`^${name} AAAA\\S+ runward web$`));
    expect(key.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    expect(publicHalf(key.privateKey)).toBe(key.publicKey);
  });

  it('has a comment that cannot add a line to an authorized_keys file', async () => {
    const key = await generateKeyPair({ type: 'ed25519', comment: ' web\nssh-ed25519 AAAA evil\u0000 ' });
    expect(key.publicKey.split(' ').slice(2).join(' ')).toBe('web ssh-ed25519 AAAA evil');
  });

  it.each([
    { type: 'rsa', bits: 1024 },
    { type: 'rsa', bits: 100_000 },
    { type: 'ecdsa', bits: 255 },
  ] as const)('is not created with $bits bits of type $type', async (options) => {
    expect((await failureOf(generateKeyPair(options))).code).toBe('unsupported_key');
  });

  it('is correct for numbers that begin with zero bytes', async () => {
    for (let round = 0; round < 300; round += 1) {
      const key = await generateKeyPair({ type: round % 2 ? 'ed25519' : 'ecdsa' });
      expect((await importPrivateKey(key.privateKey)).publicKey).toBe(key.publicKey);
    }
  });
});

describe('an imported key', () => {
  it('may have a passphrase, keeps its comment and is stored unprotected', async () => {
    const key = await importPrivateKey(PROTECTED, 'open sesame ž');
    expect(key).toMatchObject({ type: 'ed25519', publicKey: PROTECTED_PUBLIC });
    expect(publicHalf(key.privateKey)).toBe(PROTECTED_PUBLIC);
  });

  it('reports a missing passphrase and a wrong one', async () => {
    expect((await failureOf(importPrivateKey(PROTECTED))).code).toBe('passphrase_required');
    expect((await failureOf(importPrivateKey(PROTECTED, ''))).code).toBe('passphrase_required');
    expect((await failureOf(importPrivateKey(PROTECTED, 'open sesame'))).code).toBe('wrong_passphrase');
  });

  it('may have Windows line ends, a byte order mark and surrounding blank lines', async () => {
    const key = await generateKeyPair({ type: 'ed25519', comment: 'x' });
    const pasted = `\uFEFF\r\n${key.privateKey.replaceAll('\n', '\r\n')}\r\n\r\n`;
    expect((await importPrivateKey(pasted)).publicKey).toBe(key.publicKey);
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  const ed25519 = generateKeyPairSync('ed25519').privateKey;
  const aes = { cipher: 'aes-256-cbc', passphrase: 'secret' };
  it.each([
    ['PKCS#1', rsa.export({ format: 'pem', type: 'pkcs1' }), 'rsa'],
    ['protected PKCS#1', rsa.export({ format: 'pem', type: 'pkcs1', ...aes }), 'rsa'],
    ['SEC1', ec.export({ format: 'pem', type: 'sec1' }), 'ecdsa'],
    ['protected SEC1', ec.export({ format: 'pem', type: 'sec1', ...aes }), 'ecdsa'],
    ['PKCS#8', ed25519.export({ format: 'pem', type: 'pkcs8' }), 'ed25519'],
    ['protected PKCS#8', rsa.export({ format: 'pem', type: 'pkcs8', ...aes }), 'rsa'],
  ])('may be PEM: %s', async (pemForm, pem, type) => {
    const key = await importPrivateKey(String(pem), 'secret');
    expect(key.type).toBe(type);
    expect(publicHalf(key.privateKey)).toBe(key.publicKey);
    if (!pemForm.startsWith('protected')) return;
    expect((await failureOf(importPrivateKey(String(pem)))).code).toBe('passphrase_required');
    expect((await failureOf(importPrivateKey(String(pem), 'wrong'))).code).toBe('wrong_passphrase');
  });

  it.each([
    ['of another curve', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey],
    ['of type Ed448', generateKeyPairSync('ed448').privateKey],
    ['for DSA', generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }).privateKey],
    ['too short for RSA', generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey],
  ])('is refused if it is %s', async (_what, key) => {
    const pem = String(key.export({ format: 'pem', type: 'pkcs8' }));
    expect((await failureOf(importPrivateKey(pem))).code).toBe('unsupported_key');
  });

  it('of PuTTY’s newer formats is refused with instructions', async () => {
    const error = await failureOf(importPrivateKey('PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n'));
    expect(error).toMatchObject({ code: 'unsupported_key', message: expect.stringContaining('Export OpenSSH key') });
  });

  it.each([
    ['an authorized_keys line', PROTECTED_PUBLIC],
    ['PEM', '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----'],
    ['RFC 4716', '---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----'],
  ])('must not be a public key (%s)', async (_form, text) => {
    expect((await failureOf(importPrivateKey(text))).code).toBe('public_key_given');
  });

  it.each([
    ['nothing', ''],
    ['words', 'correct horse battery staple'],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'],
    ['half a file', PROTECTED.slice(0, 200)],
    ['an empty envelope', '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----'],
    ['broken PEM', '-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----'],
  ])('must not be %s', async (_what, text) => {
    const error = await failureOf(importPrivateKey(text, 'secret'));
    expect(error.code).toBe('not_a_private_key');
    if (text.length > 40) expect(error.message).not.toContain(text.slice(40, 60));
  });
});
