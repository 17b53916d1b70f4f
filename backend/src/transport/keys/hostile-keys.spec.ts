import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { longestGap } from '../../../test/support/longest-gap.js';
import { ThreadPool } from '../../common/threads/thread-pool.js';
import type { KeyMaterialError } from './key-material-error.js';
import { KeyThreads } from './key-threads.js';
import { encodeWireString } from './ssh-wire.js';

function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
const sequence = (...content: Buffer[]) => der(0x30, ...content);
const octets = (length: number) => der(4, Buffer.alloc(length, 1));
const name = (hex: string) => der(6, Buffer.from(hex, 'hex'));
const integer = (value: Buffer | number) => {
  const bytes = typeof value === 'number' ? Buffer.alloc(6) : value;
  if (typeof value === 'number') bytes.writeUIntBE(value, 0, 6);
  return der(2, Buffer.from([0]), bytes);
};
const pem = (label: string, body: Buffer, head = '') =>
  `-----BEGIN ${label}-----\n${head}${(body.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${label}-----\n`;

const PBES2 = name('2a864886f70d01050d');
const PBKDF2 = name('2a864886f70d01050c');
const SCRYPT = name('2b06010401da47040b');
const AES_256 = sequence(name('60864801650304012a'), octets(16));
const pkcs8 = (scheme: Buffer) => pem('ENCRYPTED PRIVATE KEY', sequence(scheme, octets(128)));
const pbes2 = (kdf: Buffer) => pkcs8(sequence(PBES2, sequence(kdf, AES_256)));
const pbkdf2 = (...numbers: Buffer[]) => pbes2(sequence(PBKDF2, sequence(octets(8), ...numbers)));
const scrypt = (n: number, r: number, p: number) =>
  pbes2(sequence(SCRYPT, sequence(octets(8), integer(n), integer(r), integer(p))));
const bcrypt = (rounds: number) => {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(rounds);
  const body = [
    Buffer.from('openssh-key-v1\0'),
    ...['aes256-ctr', 'bcrypt'].map((text) => encodeWireString(text)),
    encodeWireString(Buffer.concat([encodeWireString(Buffer.alloc(16)), count])),
    Buffer.from([0, 0, 0, 1]),
    encodeWireString(Buffer.alloc(51)),
    encodeWireString(Buffer.alloc(160)),
  ];
  return pem('OPENSSH PRIVATE KEY', Buffer.concat(body));
};
/** Odd, so that it may pass for a modulus. The numbers do not form a valid key. */
const giantInteger = (bytes: number) => integer(Buffer.alloc(bytes, 0xff));
const rsa = (...sizes: number[]) => pem('RSA PRIVATE KEY', sequence(integer(0), ...sizes.map(giantInteger)));

const ANNOUNCED_KEYS: [string, string][] = [
  ['60 million iterations', pbkdf2(integer(60_000_000))],
  ['more iterations than a number holds', pbkdf2(integer(Buffer.alloc(40, 0x7f)))],
  [
    '60 million iterations of an older scheme',
    pkcs8(sequence(name('2a864886f70d01050d'.replace(/0d$/, '0a')), sequence(octets(8), integer(60_000_000)))),
  ],
  ['a costly scrypt', scrypt(2 ** 20, 8, 64)],
  ['a scrypt that is often repeated', scrypt(16_384, 8, 2 ** 30)],
  ['two thousand million rounds of bcrypt', bcrypt(2 ** 31)],
];
const HIDDEN_KEYS: [string, string][] = [
  ['as many iterations as are allowed', pbkdf2(integer(2_000_000))],
  ['as many rounds as are allowed', bcrypt(128)],
  ['a modulus of 24,000 bits', rsa(3000, 3, 3000, 1500, 1500, 1500, 1500, 1500)],
  ['a public exponent of 16,000 bits', rsa(256, 2000, 256, 128, 128, 128, 128, 128)],
  ['a private exponent of 90,000 bits', rsa(256, 3, 11_000, 128, 128, 128, 128, 128)],
  ['headers that a pattern goes astray in', pem('RSA PRIVATE KEY', Buffer.alloc(64), 'a: b\n'.repeat(3500))],
  [
    'PuTTY lines without an end',
    `PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: x\nPublic-Lines: 1\n${'A\n'.repeat(9000)}`,
  ],
  ['blanks', `-----BEGIN OPENSSH PRIVATE KEY-----\n${' \n'.repeat(9000)}`],
];

let pool: ThreadPool;
let keys: KeyThreads;
beforeAll(() => {
  pool = new ThreadPool();
  keys = new KeyThreads(pool);
});
afterAll(() => pool.onModuleDestroy());

const failure = (text: string, tenant = 'acme') =>
  keys.import(tenant, text, 'secret').then(
    () => null,
    (error: KeyMaterialError) => error,
  );

describe('a private key that would block the server', () => {
  it.each(ANNOUNCED_KEYS)('is refused at once, without a thread, when it announces %s', async (_, text) => {
    const none = new KeyThreads({ run: () => Promise.reject(new Error('asked')) } as unknown as ThreadPool);
    await expect(none.import('acme', text, 'secret')).rejects.toMatchObject({ code: 'unsupported_key' });
  });

  // The fastest of three rounds counts, because a busy machine may delay the other two.
  it.each([...ANNOUNCED_KEYS, ...HIDDEN_KEYS])('does not block the process: %s', async (_, text) => {
    expect(text.length).toBeLessThanOrEqual(20_000);
    const gaps: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { gap, result } = await longestGap(() => failure(text));
      expect(result).toMatchObject({ name: 'KeyMaterialError' });
      gaps.push(gap);
    }
    expect(Math.min(...gaps)).toBeLessThan(100);
  });

  it('does not prevent another tenant from importing a key', async () => {
    let done = 0;
    const hostile = Array.from({ length: 12 }, () => failure(bcrypt(64), 'hog').finally(() => (done += 1)));
    const usual = String(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }));
    expect(await keys.import('other', usual)).toMatchObject({ type: 'ed25519' });
    expect(done).toBeLessThan(4);
    await Promise.all(hostile);
  });
});

describe('a normal private key', () => {
  it('is generated and read in threads, for each type', async () => {
    for (const type of ['rsa', 'ed25519', 'ecdsa'] as const) {
      const made = await keys.generate('acme', { type, comment: 'x' });
      expect((await keys.import('acme', made.privateKey)).publicKey).toBe(made.publicKey);
    }
  });
});
