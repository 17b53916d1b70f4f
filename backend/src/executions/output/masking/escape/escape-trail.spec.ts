import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../../test/support/seeded-random.js';
import { type EscapeTrail, extendTrail, findPositionInTrail } from './escape-trail.js';

function randomTrail(seed: number, escapes: number): { trail: EscapeTrail; positions: number[] } {
  const random = seededRandom(seed);
  const positions: number[] = [];
  let trail: EscapeTrail | null = null;
  let position = random.int(3);
  const extraAtFirst = position;
  for (let at = 0; at < escapes; at += 1) {
    for (let literal = random.int(4); literal > 0; literal -= 1) positions.push(position++);
    const start = positions.length;
    const withExtraBefore = position - start;
    const decoded = 1 + random.int(3);
    // All bytes that one escape decodes to have the same position.
    for (let byte = 0; byte < decoded; byte += 1) positions.push(position);
    position += decoded + 1 + random.int(4);
    const end = positions.length;
    trail = extendTrail(trail, { start, end, extraBefore: withExtraBefore, extra: position - end }, escapes);
  }
  expect(positions[0]).toBe(extraAtFirst);
  for (let literal = 0; literal < 3; literal += 1) positions.push(position++);
  return { trail: trail as EscapeTrail, positions };
}

function lengthOf(trail: EscapeTrail): number {
  let length = 0;
  for (let at: EscapeTrail | null = trail; at; at = at.before) length += 1;
  return length;
}

describe('trail of escapes', () => {
  it('finds the position of each decoded byte: before, within, between and after the escapes', () => {
    for (let seed = 0; seed < 60; seed += 1) {
      const { trail, positions } = randomTrail(seed, 1 + (seed % 40));
      expect(positions.map((_, place) => findPositionInTrail(trail, place))).toEqual(positions);
    }
  });

  it('finds its beginning in time logarithmic in the number of escapes', () => {
    const { trail } = randomTrail(3, 2_000);
    let steps = 0;
    for (let at: EscapeTrail | null = trail; at; at = at.jump ?? at.before) steps += 1;
    expect(lengthOf(trail)).toBe(2_000);
    expect(steps).toBeLessThan(3 * Math.log2(2_000));
  });

  it('keeps the escapes that may be looked up, and a bounded number of older ones', () => {
    const most = 30;
    let trail: EscapeTrail | null = null;
    for (let at = 0; at < 300; at += 1) {
      trail = extendTrail(trail, { start: at, end: at + 1, extraBefore: 2 * at, extra: 2 * at + 2 }, most);
      expect(trail.count).toBe(lengthOf(trail));
      expect(trail.count).toBeLessThanOrEqual(2 * most + 17);
      const places = Array.from({ length: Math.min(most, at + 1) }, (_, distance) => at - distance);
      expect(places.map((place) => findPositionInTrail(trail as EscapeTrail, place))).toEqual(
        places.map((place) => 3 * place),
      );
    }
    expect((trail as EscapeTrail).count).toBeLessThan(300);
  });
});
