import { describe, expect, it } from '@jest/globals';
import searchPattern from './pattern-thread.js';

const search = (pattern: string, ...chunks: string[][]) =>
  searchPattern({ pattern, matchCase: true, chunks, maxMs: 60_000, withTexts: false });

describe('a search for a pattern', () => {
  it.each([
    ['a(b', 'missing closing )', 1],
    ['ab)c', 'unexpected )', 1],
    ['a[b', 'missing closing ] [b', 2],
    ['ab**', 'invalid nested repetition operator **', 3],
    ['x(?=a)', 'invalid or unsupported Perl syntax (?=', 2],
    ['a{1001}', 'invalid repeat count {1001}', 2],
    ['(a)\\1', 'invalid escape sequence \\1', 4],
    ['abc\\', 'trailing backslash at end of expression', 4],
    ['(abcdef){500}', 'the repetitions make the pattern too large', 9],
  ])('refuses %s, with reason and position', (pattern, error, at) => {
    expect(search(pattern)).toEqual({ error, at });
  });

  it('ends after the chunk in which the time was used up', () => {
    const chunks = [['ab', 'b'], ['b'], ['b']];
    expect(searchPattern({ pattern: 'B', matchCase: false, chunks, maxMs: 0, withTexts: false })).toEqual({
      ...{
        matches: [
          { chunk: 0, line: 0, at: 0 },
          { chunk: 0, line: 1, at: 0 },
        ],
        searchedChunks: 1,
      },
    });
    expect(search('^b', ...chunks)).toMatchObject({ matches: [{ line: 1 }, { chunk: 1 }, { chunk: 2 }] });
  });

  it('returns the matched text on request', () => {
    const request = { pattern: 'b+', matchCase: true, chunks: [['abbc', 'x']], maxMs: 60_000, withTexts: true };
    expect(searchPattern(request)).toMatchObject({ matches: [{ line: 0, text: 'bb' }] });
  });

  it('finds the part of a long line that matches', () => {
    const [match] = (search('e+nd', [`${'x'.repeat(9_900)}eeend`]) as { matches: { at: number }[] }).matches;
    expect(match?.at).toBeGreaterThan(8_900);
    expect(match?.at).toBeLessThanOrEqual(9_900);
  });
});
