import { describe, expect, it } from 'vitest';
import type { HitCountPage } from '../../../../api/types';
import { hitCountsReducer, NO_HITS } from './hit-counts.reducer';

const cell = (serverId: string, hits: number, stepKey = 'one') => ({ stepKey, serverId, serverName: serverId, hits });
const page = (items: HitCountPage['items'], readPercent: number, nextAfter: string | null = 'c'): HitCountPage => ({
  ...{ items, readPercent, nextAfter, hits: items.reduce((sum, { hits }) => sum + hits, 0) },
});

describe('the hits of a search', () => {
  it('are added up by host and step, in the order of the first hits', () => {
    const first = hitCountsReducer(NO_HITS, { type: 'page', page: page([cell('b', 2)], 40), spent: false });
    expect(first).toMatchObject({ hits: 2, percent: 40, loading: true, complete: false, after: 'c' });
    const all = hitCountsReducer(first, {
      ...{ type: 'page', page: page([cell('a', 1), cell('b', 3), cell('b', 1, 'two')], 100, null), spent: false },
    });
    expect(all.cells).toEqual([cell('b', 5), cell('a', 1), cell('b', 1, 'two')]);
    expect(all).toMatchObject({ hits: 7, percent: 100, loading: false, complete: true, after: 'c' });
  });

  it('say that there are more when the search stopped before the end', () => {
    const stopped = hitCountsReducer(NO_HITS, { type: 'page', page: page([cell('a', 9)], 20), spent: true });
    expect(stopped).toMatchObject({ more: true, loading: false });
    expect(hitCountsReducer(stopped, { type: 'loading' })).toMatchObject({ more: false, loading: true, hits: 9 });
    const whole = hitCountsReducer(NO_HITS, { type: 'page', page: page([cell('a', 9)], 100), spent: true });
    expect(whole.more).toBe(false);
  });

  it('are kept when a request fails, and dropped for another search', () => {
    const some = hitCountsReducer(NO_HITS, { type: 'page', page: page([cell('a', 9)], 20), spent: false });
    const error = new Error('away');
    expect(hitCountsReducer(some, { type: 'failed', error })).toMatchObject({ hits: 9, error, loading: false });
    expect(hitCountsReducer(some, { type: 'reset' })).toBe(NO_HITS);
  });
});
