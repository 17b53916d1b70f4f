import { describe, expect, it } from 'vitest';
import { pairLines } from './output-pairs';

const linesOf = (...texts: string[]) =>
  texts.map(
    (text, index) =>
      ({ text: text.replace('!', ''), stream: text.startsWith('!') ? 'stderr' : 'stdout', number: index + 1 }) as const,
  );
const rowsOf = (before: string[], after: string[]) =>
  pairLines(linesOf(...before), linesOf(...after)).map((pair) => [
    pair.before?.number ?? null,
    pair.after?.number ?? null,
    pair.isSame,
  ]);

describe('two outputs side by side', () => {
  it('have equal lines on the same row, each with its own number', () => {
    expect(rowsOf(['start', 'end'], ['start', 'new', 'end'])).toEqual([
      [1, 1, true],
      [null, 2, false],
      [2, 3, true],
    ]);
  });

  it('have changed lines beside each other', () => {
    expect(rowsOf(['a', 'took 3 s', 'b'], ['a', 'took 9 s', 'again', 'b'])).toEqual([
      [1, 1, true],
      [2, 2, false],
      [null, 3, false],
      [3, 4, true],
    ]);
    expect(rowsOf([], ['a'])).toEqual([[null, 1, false]]);
    expect(rowsOf([], [])).toEqual([]);
  });

  it('compare what a terminal shows after progress, and the stream', () => {
    expect(rowsOf(['1 %\r100 %'], ['50 %\r100 %'])).toEqual([[1, 1, true]]);
    expect(rowsOf(['refused'], ['!refused'])).toEqual([[1, 1, false]]);
  });
});
