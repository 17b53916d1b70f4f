import { describe, expect, it } from 'vitest';
import type { LogLine } from '../output/log/log-window';
import { findFirstDifference } from './first-difference';

const outputOf = (lines: number, changed?: number) => (from: number) => ({
  lines: Array.from(
    { length: Math.max(0, Math.min(500, lines - from + 1)) },
    (_, index) =>
      ({ number: from + index, text: from + index === changed ? 'changed' : 'same', stream: 'stdout' }) as LogLine,
  ),
  last: lines,
});
const find = (before: ReturnType<typeof outputOf>, after: ReturnType<typeof outputOf>) =>
  findFirstDifference(500, async (from) => ({ before: before(from), after: after(from) }));

describe('the first difference of two outputs', () => {
  it.each([
    ['in the first lines', outputOf(900), outputOf(900, 3), { from: 1, sameLines: null }],
    ['in a later part', outputOf(2_000), outputOf(2_000, 1_204), { from: 1_001, sameLines: null }],
    ['at the end of the shorter output', outputOf(1_000), outputOf(1_001), { from: 1_001, sameLines: null }],
    ['nowhere', outputOf(900), outputOf(900), { from: 1, sameLines: null }],
    ['nowhere in the lines that were read', outputOf(90_000), outputOf(90_000, 8_000), { from: 1, sameLines: 5_000 }],
  ])('is %s', async (_, before, after, found) => {
    expect(await find(before, after)).toEqual(found);
  });
});
