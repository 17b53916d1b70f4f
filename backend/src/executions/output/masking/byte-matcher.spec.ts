import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { ByteMatcher } from './byte-matcher.js';

function buildMatcher(patterns: Buffer[]): ByteMatcher {
  const building = ByteMatcher.buildInSteps(patterns);
  for (;;) {
    const { done, value } = building.next();
    if (done) return value;
  }
}

function longestEnds(patterns: Buffer[], text: Buffer): [number, number][] {
  const matcher = buildMatcher(patterns);
  const ends: [number, number][] = [];
  let state = 0;
  text.forEach((byte, at) => {
    state = matcher.step(state, byte);
    const node = matcher.found[state] as number;
    if (node !== 0) ends.push([at + 1, matcher.findPatternAt(node)]);
  });
  return ends;
}

function findSlowly(patterns: Buffer[], text: Buffer): [number, number][] {
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
  it('finds patterns that contain and overlap one another', () => {
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

  it('reports the first of equal patterns', () => {
    expect(longestEnds([Buffer.from('ab'), Buffer.from('ab')], Buffer.from('ab'))).toEqual([[2, 0]]);
  });

  it('reports the length of the longest pattern', () => {
    expect(buildMatcher([Buffer.from('ab'), Buffer.from('abcd'), Buffer.from('x')]).longest).toBe(4);
  });

  it('yields once in 4,096 steps of building', () => {
    const building = ByteMatcher.buildInSteps([Buffer.alloc(8_192, 'a'), seededRandom(3).bytes(4_096)]);
    let pauses = 0;
    while (!building.next().done) pauses += 1;
    expect(pauses).toBe(3 + 3);
  });

  it('checks at most the given number of shorter prefixes, skipping those with the same continuations', () => {
    const stateAfter = (matcher: ByteMatcher, text: string) =>
      [...Buffer.from(text)].reduce((state, byte) => matcher.step(state, byte), 0);
    const z = 'z'.charCodeAt(0);
    const chain = buildMatcher(['abcx', 'bcy', 'cz'].map((text) => Buffer.from(text)));
    const state = stateAfter(chain, 'abc');
    expect(chain.stepBounded(3, state, z)).toBe(stateAfter(chain, 'cz'));
    expect(chain.stepBounded(2, state, z)).toBe(0);
    const similarPatterns = buildMatcher(['aaaaab', 'az'].map((text) => Buffer.from(text)));
    expect(similarPatterns.stepBounded(2, stateAfter(similarPatterns, 'aaaa'), z)).toBe(
      stateAfter(similarPatterns, 'az'),
    );
  });

  it('finds the same as a slow search, over a small alphabet and over all bytes', () => {
    const random = seededRandom(11);
    for (let round = 0; round < 300; round += 1) {
      const letters = random.int(3) === 0 ? 256 : 1 + random.int(4);
      const word = (length: number) => Buffer.from(Array.from({ length }, () => random.int(letters)));
      const patterns = Array.from({ length: random.int(40) }, () => word(1 + random.int(6)));
      const text = word(random.int(200));
      expect(longestEnds(patterns, text)).toEqual(findSlowly(patterns, text));
    }
  });
});
