import { describe, expect, it } from 'vitest';
import { filtersOf, isFiltered, SORT_OPTIONS, sortOf, STATE_OPTIONS, statesOf } from './server-filters';

describe('filters of servers', () => {
  it('take states from the URL, and ignore what is none', () => {
    expect(statesOf('unreachable,unchecked')).toEqual(['unchecked', 'unreachable']);
    expect(statesOf('nonsense,,reachable,constructor')).toEqual(['reachable']);
    expect(filtersOf({ state: 'nonsense' }).state).toBeUndefined();
  });

  it('count as filters only when they leave servers out', () => {
    expect(isFiltered({ sort: 'name', state: 'nonsense' })).toBe(false);
    expect(isFiltered({ state: 'reachable' })).toBe(true);
    expect(isFiltered({ selector: 'role=web' })).toBe(true);
  });

  it('have a label of its own for each state and order', () => {
    for (const options of [STATE_OPTIONS, SORT_OPTIONS])
      expect(new Set(options.map(({ label }) => label)).size).toBe(options.length);
  });

  it('take an order from the URL if there is such', () => {
    expect(sortOf('-checkedAt')).toBe('-checkedAt');
    expect([sortOf(), sortOf('-name'), sortOf('toString')]).toEqual([undefined, undefined, undefined]);
  });
});
