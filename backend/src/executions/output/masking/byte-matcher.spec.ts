import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { ByteMatcher } from './byte-matcher.js';

function built(patterns: Buffer[]): ByteMatcher {
  const building = ByteMatcher.building(patterns);
  for (;;) {
    const { done, value } = building.next();
    if (done) return value;
  }
}

/** For each byte of the text the longest pattern that ends there, as [end, pattern]. */
function longestEnds(patterns: Buffer[], text: Buffer): [number, number][] {
  const matcher = built(patterns);
  const ends: [number, number][] = [];
  let state = 0;
  text.forEach((byte, at) => {
    state = matcher.step(state, byte);
    const node = matcher.found[state] as number;
    if (node !== 0) ends.push([at + 1, matcher.patternAt(node)]);
  });
  return ends;
}

function slowly(patterns: Buffer[], text: Buffer): [number, number][] {
  return [...text.keys()].flatMap((at): [number, number][] => {
    const here = patterns
      .map((pattern, index) => ({ index, length: pattern.length, found: text.subarray(0, at + 1) }))
      .filter(
        ({ index, length, found }) =>
          found.length >= length && found.subarray(-length).equals(patterns[index] as Buffer),
      )
      .sort((a, b) => b.length - a.length || a.index - b.index)[0];
    return here ? [[at + 1, here.index]] : [];
  });
}

describe('byte matcher', () => {
  it('finds patterns within and across one another', () => {
    const patterns = ['he', 'she', 'his', 'hers'].map((text) => Buffer.from(text));
    expect(longestEnds(patterns, Buffer.from('ushers his'))).toEqual([
      [4, 1],
      [6, 3],
      [10, 2],
    ]);
  });

  it('finds nothing without patterns', () => {
    expect(longestEnds([], Buffer.from('text'))).toEqual([]);
  });

  it('names the first of equal patterns', () => {
    expect(longestEnds([Buffer.from('ab'), Buffer.from('ab')], Buffer.from('ab'))).toEqual([[2, 0]]);
  });

  it('finds what a slow search finds, over a small alphabet and over all bytes', () => {
    const random = seededRandom(11);
    for (let round = 0; round < 300; round += 1) {
      const letters = random.int(3) === 0 ? 256 : 1 + random.int(4);
      const word = (length: number) => Buffer.from(Array.from({ length }, () => random.int(letters)));
      const patterns = Array.from({ length: random.int(40) }, () => word(1 + random.int(6)));
      const text = word(random.int(200));
      expect(longestEnds(patterns, text)).toEqual(slowly(patterns, text));
    }
  });
});
