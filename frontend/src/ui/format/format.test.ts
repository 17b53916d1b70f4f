import { describe, expect, it } from 'vitest';
import { bytes, duration, limit, plural, relativeTime } from './format';

const NOW = Date.parse('2026-06-15T12:00:00Z');
const at = (seconds: number) => relativeTime(new Date(NOW + seconds * 1000).toISOString(), NOW);
const DAY = 86_400;

describe('a relative time', () => {
  it.each([
    [0, 'just now'],
    [5, 'just now'],
    [-9, 'just now'],
    [-10, '10 s ago'],
    [-59, '59 s ago'],
    [-60, '1 min ago'],
    [-3_599, '59 min ago'],
    [-7_200, '2 hr ago'],
    [-90 * DAY, '90 days ago'],
    [-100 * DAY, '3 mo ago'],
    [-700 * DAY, '23 mo ago'],
    [-730 * DAY, '2 yr ago'],
  ])('%i s from now is %s', (seconds, words) => {
    expect(at(seconds)).toBe(words);
  });

  it('does not understate how long a deadline is away', () => {
    expect(at(30)).toBe('in less than a minute');
    expect(at(3_600)).toBe('in 1 h');
    expect(at(2 * 3_600 - 60)).toBe('in 1 h 59 min');
    expect(at(47 * 3_600)).toBe('in 47 h');
    expect(at(3 * DAY)).toBe('in 3 days');
  });
});

describe('a duration', () => {
  it.each([
    [-5, '0 ms'],
    [999.4, '999 ms'],
    [1_000, '1.0 s'],
    [9_949, '9.9 s'],
    [10_500, '10 s'],
    [59_999, '59 s'],
    [60_000, '1 min 0 s'],
    [3_599_000, '59 min 59 s'],
    [3_600_000, '1 h 0 min'],
    [90_000_000, '25 h 0 min'],
  ])('of %i ms is %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });

  it('has no parts of zero as a limit', () => {
    expect([1_000, 60_000, 3_600_000, 5_400_000, 90_000].map(limit)).toEqual([
      '1 s',
      '1 min',
      '1 h',
      '1 h 30 min',
      '1 min 30 s',
    ]);
    expect(limit(600_000)).toBe('10 min');
  });
});

describe('counts and sizes', () => {
  it('are in the plural but for one, with separators', () => {
    expect([plural(0, 'host'), plural(1, 'host'), plural(1234, 'host')]).toEqual(['0 hosts', '1 host', '1,234 hosts']);
    expect(plural(2, 'entry', 'entries')).toBe('2 entries');
  });

  it('change their unit at powers of 1024', () => {
    expect([0, 1023, 1024, 1024 * 1024 - 1, 1024 * 1024].map(bytes)).toEqual([
      '0 B',
      '1023 B',
      '1.0 KiB',
      '1024.0 KiB',
      '1.0 MiB',
    ]);
  });
});
