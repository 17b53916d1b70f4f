import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { masterKeyIdOf, open, rewrap, type SealContext, SealError, seal } from './envelope.js';
import { generateMasterKey } from './master-key.js';

const { masterKey } = generateMasterKey();
const place: SealContext = { tenant: 't1', table: 'ssh_keys', record: 'r1', field: 'private_key', version: 1 };
const secret = Buffer.from('-----BEGIN OPENSSH PRIVATE KEY-----');

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof SealError) return error.code;
    throw error;
  }
  return 'opened';
}

describe('sealed values', () => {
  it('can be opened in the same context, whatever the bytes', () => {
    const random = seededRandom(1);
    for (let round = 0; round < 50; round += 1) {
      const plaintext = random.bytes(random.int(300));
      expect(open(masterKey, seal(masterKey, plaintext, place), place)).toEqual(plaintext);
    }
  });

  it('reveal neither the value nor whether two values are equal', () => {
    const first = seal(masterKey, secret, place);
    const second = seal(masterKey, secret, place);
    expect(first.includes(secret.subarray(0, 8))).toBe(false);
    for (const [from, to] of [
      [9, 21],
      [37, 69],
      [69, 81],
      [97, first.length],
    ] as const) {
      expect(first.subarray(from, to)).not.toEqual(second.subarray(from, to));
    }
  });

  it.each([
    { tenant: 't2' },
    { table: 'variables' },
    { record: 'r2' },
    { field: 'passphrase' },
    { version: 2 },
    { tenant: 't1s', table: 'sh_keys' },
  ])('are refused in another context: %j', (other) => {
    const sealed = seal(masterKey, secret, place);
    expect(codeOf(() => open(masterKey, sealed, { ...place, ...other }))).toBe('refused');
    expect(codeOf(() => rewrap(masterKey, generateMasterKey().masterKey, sealed, { ...place, ...other }))).toBe(
      'refused',
    );
  });

  it.each([{ tenant: '' }, { record: '' }, { version: -1 }, { version: 1.5 }, { version: Number.NaN }])(
    'are not created for an invalid context: %j',
    (bad) => expect(codeOf(() => seal(masterKey, secret, { ...place, ...bad }))).toBe('bad_context'),
  );

  it('are refused after any single bit flip', () => {
    const sealed = seal(masterKey, Buffer.from('hunter2'), place);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const flippedEnvelope = Buffer.from(sealed);
      flippedEnvelope[bit >> 3] = (flippedEnvelope[bit >> 3] as number) ^ (1 << (bit & 7));
      const expected = bit < 8 ? 'unknown_format' : bit < 72 ? 'wrong_master_key' : 'refused';
      expect(codeOf(() => open(masterKey, flippedEnvelope, place))).toBe(expected);
    }
  });

  it('are refused when truncated or extended', () => {
    const sealed = seal(masterKey, secret, place);
    for (let length = 0; length < sealed.length; length += 1) {
      const expected = length < sealed.length - secret.length ? 'malformed' : 'refused';
      expect(codeOf(() => open(masterKey, sealed.subarray(0, length), place))).toBe(expected);
    }
    expect(codeOf(() => open(masterKey, Buffer.concat([sealed, Buffer.of(0)]), place))).toBe('refused');
  });

  it('are refused when combined from two', () => {
    const first = seal(masterKey, secret, place);
    const second = seal(masterKey, secret, place);
    const mixedEnvelope = Buffer.concat([first.subarray(0, 69), second.subarray(69)]);
    expect(codeOf(() => open(masterKey, mixedEnvelope, place))).toBe('refused');
  });

  it('name the required master key', () => {
    const other = generateMasterKey().masterKey;
    const sealed = seal(masterKey, secret, place);
    expect(masterKeyIdOf(sealed)).toBe(masterKey.id);
    expect(codeOf(() => open(other, sealed, place))).toBe('wrong_master_key');
    expect(codeOf(() => open({ id: masterKey.id, key: other.key, secret: other.secret }, sealed, place))).toBe(
      'refused',
    );
  });

  it('move to a new master key without re-encrypting the value', () => {
    const next = generateMasterKey().masterKey;
    const sealed = seal(masterKey, secret, place);
    const moved = rewrap(masterKey, next, sealed, place);
    expect(masterKeyIdOf(moved)).toBe(next.id);
    expect(moved.subarray(69)).toEqual(sealed.subarray(69));
    expect(open(next, moved, place)).toEqual(secret);
    expect(codeOf(() => open(masterKey, moved, place))).toBe('wrong_master_key');
  });

  it('are unchanged when a rotation is restarted', () => {
    const next = generateMasterKey().masterKey;
    const moved = rewrap(masterKey, next, seal(masterKey, secret, place), place);
    expect(rewrap(masterKey, next, moved, place)).toEqual(moved);
    const third = generateMasterKey().masterKey;
    expect(codeOf(() => rewrap(masterKey, third, moved, place))).toBe('wrong_master_key');
  });
});
