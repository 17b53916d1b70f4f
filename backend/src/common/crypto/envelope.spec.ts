import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { readMasterKeyId, openSealedValue, rewrapDataKey, type SealContext, SealError, sealValue } from './envelope.js';
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
      expect(openSealedValue(masterKey, sealValue(masterKey, plaintext, place), place)).toEqual(plaintext);
    }
  });

  it('reveal neither the value nor whether two values are equal', () => {
    const first = sealValue(masterKey, secret, place);
    const second = sealValue(masterKey, secret, place);
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
    const sealed = sealValue(masterKey, secret, place);
    expect(codeOf(() => openSealedValue(masterKey, sealed, { ...place, ...other }))).toBe('refused');
    expect(codeOf(() => rewrapDataKey(masterKey, generateMasterKey().masterKey, sealed, { ...place, ...other }))).toBe(
      'refused',
    );
  });

  it.each([{ tenant: '' }, { record: '' }, { version: -1 }, { version: 1.5 }, { version: Number.NaN }])(
    'are not created for an invalid context: %j',
    (bad) => expect(codeOf(() => sealValue(masterKey, secret, { ...place, ...bad }))).toBe('bad_context'),
  );

  it('are refused after any single bit flip', () => {
    const sealed = sealValue(masterKey, Buffer.from('hunter2'), place);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const flippedEnvelope = Buffer.from(sealed);
      flippedEnvelope[bit >> 3] = (flippedEnvelope[bit >> 3] as number) ^ (1 << (bit & 7));
      const expected = bit < 8 ? 'unknown_format' : bit < 72 ? 'wrong_master_key' : 'refused';
      expect(codeOf(() => openSealedValue(masterKey, flippedEnvelope, place))).toBe(expected);
    }
  });

  it('are refused when truncated or extended', () => {
    const sealed = sealValue(masterKey, secret, place);
    for (let length = 0; length < sealed.length; length += 1) {
      const expected = length < sealed.length - secret.length ? 'malformed' : 'refused';
      expect(codeOf(() => openSealedValue(masterKey, sealed.subarray(0, length), place))).toBe(expected);
    }
    expect(codeOf(() => openSealedValue(masterKey, Buffer.concat([sealed, Buffer.of(0)]), place))).toBe('refused');
  });

  it('are refused when combined from two', () => {
    const first = sealValue(masterKey, secret, place);
    const second = sealValue(masterKey, secret, place);
    const mixedEnvelope = Buffer.concat([first.subarray(0, 69), second.subarray(69)]);
    expect(codeOf(() => openSealedValue(masterKey, mixedEnvelope, place))).toBe('refused');
  });

  it('name the required master key', () => {
    const other = generateMasterKey().masterKey;
    const sealed = sealValue(masterKey, secret, place);
    expect(readMasterKeyId(sealed)).toBe(masterKey.id);
    expect(codeOf(() => openSealedValue(other, sealed, place))).toBe('wrong_master_key');
    expect(
      codeOf(() => openSealedValue({ id: masterKey.id, key: other.key, secret: other.secret }, sealed, place)),
    ).toBe('refused');
  });

  it('move to a new master key without re-encrypting the value', () => {
    const next = generateMasterKey().masterKey;
    const sealed = sealValue(masterKey, secret, place);
    const moved = rewrapDataKey(masterKey, next, sealed, place);
    expect(readMasterKeyId(moved)).toBe(next.id);
    expect(moved.subarray(69)).toEqual(sealed.subarray(69));
    expect(openSealedValue(next, moved, place)).toEqual(secret);
    expect(codeOf(() => openSealedValue(masterKey, moved, place))).toBe('wrong_master_key');
  });

  it('are unchanged when a rotation is restarted', () => {
    const next = generateMasterKey().masterKey;
    const moved = rewrapDataKey(masterKey, next, sealValue(masterKey, secret, place), place);
    expect(rewrapDataKey(masterKey, next, moved, place)).toEqual(moved);
    const third = generateMasterKey().masterKey;
    expect(codeOf(() => rewrapDataKey(masterKey, third, moved, place))).toBe('wrong_master_key');
  });
});
