import { describe, expect, it } from 'vitest';
import { given, instant, oneOf, text, wholeNumber } from './search';

describe('search parameters', () => {
  it('are left out when they are undefined, while false and 0 stay', () => {
    expect(given({ a: undefined, b: 0, c: false, d: '' })).toEqual({ b: 0, c: false, d: '' });
  });

  it('are texts, also when they look like numbers', () => {
    expect([text('a'), text(42), text(''), text(null), text(['a'])]).toEqual([
      'a',
      '42',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('are one of the allowed values or nothing', () => {
    expect(oneOf('runs', ['runs', 'revisions'])).toBe('runs');
    expect(oneOf('Runs', ['runs', 'revisions'])).toBeUndefined();
    expect(oneOf(undefined, ['runs'])).toBeUndefined();
  });

  it.each([
    [12, 12],
    ['12', 12],
    [0, undefined],
    [-1, undefined],
    ['1.5', undefined],
    ['1e999', undefined],
    [2 ** 53, undefined],
    ['', undefined],
    ['abc', undefined],
    [true, undefined],
  ])('are positive safe integers: %j', (value, expected) => {
    expect(wholeNumber(value)).toBe(expected);
  });

  it('are times in UTC, and no invalid ones', () => {
    expect(instant('2026-03-01T10:00:00+02:00')).toBe('2026-03-01T08:00:00.000Z');
    expect(instant('yesterday')).toBeUndefined();
    expect(instant(1_700_000_000)).toBeUndefined();
  });
});
