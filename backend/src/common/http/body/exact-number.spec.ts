import { describe, expect, it } from '@jest/globals';
import { isExactNumber } from './exact-number.js';

const exact = (raw: string) => isExactNumber(raw, Number(raw));

describe('exact numbers', () => {
  it.each([
    '0',
    '-0',
    '0e999999999',
    '1',
    '1.0',
    '1.50',
    '0.1',
    '-0.30000000000000004',
    '1e3',
    '1.5E+3',
    '15e-1',
    '0.000001',
    '1e-7',
    '5e-324',
    '9007199254740991',
    '-9007199254740991',
    '123456789.125',
  ])('accepts %s', (raw) => expect(exact(raw)).toBe(true));

  it.each([
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740992',
    '1e16',
    '9007199254740991.4',
    '0.12345678901234567890',
    '0.1000000000000000000001',
    '4.9e-324',
  ])('rejects %s', (raw) => expect(exact(raw)).toBe(false));

  it('handles a number with a million digits', () => {
    expect(exact(`0.${'0'.repeat(1_000_000)}`)).toBe(true);
    expect(exact(`1.${'0'.repeat(1_000_000)}`)).toBe(true);
    expect(exact(`0.${'0'.repeat(500_000)}1${'0'.repeat(500_000)}`)).toBe(false);
    expect(exact('9'.repeat(1_000_000))).toBe(false);
  });

  it('accepts up to fifteen digits, and rejects numbers that a double prints differently', () => {
    let state = 20261122;
    const randomBelow = (limit: number) => {
      state = (state * 1103515245 + 12345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * limit);
    };
    let refused = 0;
    for (let time = 0; time < 20_000; time += 1) {
      const digits = Array.from({ length: 1 + randomBelow(19) }, () => String(randomBelow(10))).join('');
      const raw = `${1 + randomBelow(9)}.${digits}e${-randomBelow(300)}`;
      const [printed = '', power] = Number(raw).toExponential().split('e');
      const sent = raw.replace(/e.*/, '').replace('.', '').replace(/0+$/, '');
      const same = printed.replace('.', '').replace(/0+$/, '') === sent && Number(power) === Number(raw.split('e')[1]);
      if (sent.length <= 15) expect([raw, same]).toEqual([raw, true]);
      if (!same) refused += 1;
      expect([raw, exact(raw)]).toEqual([raw, same]);
    }
    expect(refused).toBeGreaterThan(1000);
  });
});
