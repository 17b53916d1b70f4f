import { expect, it } from '@jest/globals';
import { formatDuration, parseDuration } from './durations.ts';

it('accepts durations with units and refuses others with an example', () => {
  const read = ['0', '90', '90s', '1.5m', '1h30m', '250ms', '2d'].map(parseDuration);
  expect(read).toEqual([0, 90_000, 90_000, 90_000, 5_400_000, 250, 172_800_000]);
  for (const text of ['', '-1', '1 h', 'soon', '5x', '25d', '1e3', '٣'])
    expect(() => parseDuration(text)).toThrow(/such as 90s|24 days/);
});

it('formats elapsed times', () => {
  expect([400, 9_990, 12_400, 185_000, 7_800_000].map(formatDuration)).toEqual([
    '0.4 s',
    '10.0 s',
    '12 s',
    '3 min 5 s',
    '2 h 10 min',
  ]);
});
