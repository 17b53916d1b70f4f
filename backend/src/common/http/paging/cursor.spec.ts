import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { type CursorValue, decodeCursor, encodeCursor } from './cursor.js';

const encoded = (text: string) => Buffer.from(text).toString('base64url');

describe('cursors', () => {
  it.each<[CursorValue[]]>([
    [[]],
    [['0190b5a4-7c1e-7000-8000-000000000000']],
    [['2026-11-20T10:00:00.123456Z', 'a "name"/é😀']],
    [[null, 0, -1.5, 1e300, Number.MAX_SAFE_INTEGER, '']],
  ])('can be decoded: %j', (values) => {
    const text = encodeCursor(values);
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeCursor(text)).toEqual(values);
  });

  it.each([
    '',
    ' ',
    'not a cursor',
    '%00',
    encoded('[1,"a"]').slice(0, -1),
    `${encoded('[1,"a"]')}=`,
    `${encoded('[1,"a"]')}A`,
    encoded('[1, "a"]'),
    encoded('[2,"a"]'),
    encoded('["1","a"]'),
    encoded('[]'),
    encoded('{"0":1}'),
    encoded('null'),
    encoded('[1,[1]]'),
    encoded('[1,{}]'),
    encoded('[1,true]'),
    encoded('[1,1e400]'),
    encoded('[1,"\\u0000"]'),
    encoded('[1,"\\ud800"]'),
    encoded(`[1,"${'a'.repeat(5000)}"]`),
    Buffer.from([0x5b, 0x31, 0x2c, 0x22, 0xff, 0x22, 0x5d]).toString('base64url'),
  ])('are rejected when they were not issued: %j', (text) => expect(decodeCursor(text)).toBeNull());

  it('are rejected or decoded without an error, for any text', () => {
    const random = seededRandom(3);
    const alphabet = [...'ABCXYZabcxyz0189_-'];
    for (let round = 0; round < 2000; round += 1) {
      const values = decodeCursor(random.text(random.int(40), alphabet));
      expect(values === null || Array.isArray(values)).toBe(true);
    }
  });

  it('cannot contain numbers that JSON turns into null', () => {
    expect(() => encodeCursor([Number.NaN])).toThrow(RangeError);
    expect(() => encodeCursor([Number.POSITIVE_INFINITY])).toThrow(RangeError);
  });
});
