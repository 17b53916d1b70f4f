import { describe, expect, it } from 'vitest';
import type { Hit, HitCount } from '../../../../api/types';
import { keyOfCell } from './hit-counts.reducer';
import { findTarget, groupByHost, type LoadedHits } from './hit-order';

const cell = (serverId: string, stepKey: string, hits: number): HitCount => ({
  ...{ serverId, serverName: serverId, stepKey, hits },
});
const hit = ({ serverId, stepKey }: HitCount, position: number): Hit => ({
  ...{ serverId, serverName: serverId, stepKey, position, line: position, stream: 'stdout' },
  ...{ text: 'x', at: '2026-03-14T02:00:00Z', before: [], after: [] },
});
const loadedOf = (...hits: Hit[]): LoadedHits => {
  const loaded = new Map<string, Hit[]>();
  for (const one of hits) loaded.set(keyOfCell(one), [...(loaded.get(keyOfCell(one)) ?? []), one]);
  return loaded;
};

const a = cell('a', 's1', 2);
const b = cell('b', 's1', 3);
const none: LoadedHits = new Map();

describe('hits by host', () => {
  it('have the steps of a host together, hosts in the order of their first hits', () => {
    const later = cell('b', 's2', 1);
    expect(groupByHost([b, a, later])).toEqual([b, later, a]);
  });
});

describe('the next hit', () => {
  it('is the first one, if none is selected', () => {
    expect(findTarget([a, b], none, null, 1)).toEqual({ load: a, select: 'first' });
    expect(findTarget([a, b], loadedOf(hit(a, 4)), null, 1)).toEqual({ hit: hit(a, 4) });
    expect(findTarget([], none, null, 1)).toBeNull();
  });

  it('follows in the same cell, then in the next one, and ends after the last', () => {
    const loaded = loadedOf(hit(a, 4), hit(a, 9), hit(b, 2), hit(b, 5), hit(b, 7));
    const walk = [hit(a, 4), hit(a, 9), hit(b, 2), hit(b, 5), hit(b, 7)];
    for (const [index, one] of walk.entries()) {
      const next = walk[index + 1];
      expect(findTarget([a, b], loaded, one, 1)).toEqual(next ? { hit: next } : null);
      const previous = walk[index - 1];
      expect(findTarget([a, b], loaded, one, -1)).toEqual(previous ? { hit: previous } : null);
    }
  });

  it('is loaded first, where it is not yet', () => {
    expect(findTarget([a, b], loadedOf(hit(a, 4)), hit(a, 4), 1)).toEqual({ load: a, select: 'next' });
    expect(findTarget([a, b], loadedOf(hit(a, 4), hit(a, 9)), hit(a, 9), 1)).toEqual({ load: b, select: 'first' });
    expect(findTarget([a, b], loadedOf(hit(a, 4), hit(b, 2)), hit(b, 2), -1)).toEqual({ load: a, select: 'last' });
    expect(findTarget([a, b], none, null, -1)).toEqual({ load: b, select: 'last' });
  });
});
