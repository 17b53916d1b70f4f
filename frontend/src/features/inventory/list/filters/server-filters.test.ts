import { describe, expect, it } from 'vitest';
import {
  bulkFilterOf,
  enabledOf,
  filtersOf,
  isFiltered,
  SORT_OPTIONS,
  sortOf,
  STATE_OPTIONS,
  statesOf,
} from './server-filters';

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

  it('take whether servers are enabled from the URL, and ignore what is neither', () => {
    expect([filtersOf({ enabled: 'no' }).enabled, filtersOf({ enabled: 'yes' }).enabled]).toEqual([false, true]);
    expect([enabledOf('maybe'), enabledOf(undefined), isFiltered({})]).toEqual([undefined, undefined, false]);
    expect(isFiltered({ enabled: 'no' })).toBe(true);
  });

  it('take the protection from the URL, and ignore what is none', () => {
    expect(filtersOf({ protection: 'not_proved' }).protection).toEqual(['not_proved']);
    expect(filtersOf({ protection: 'toString' }).protection).toBeUndefined();
    expect([isFiltered({ protection: 'proved' }), isFiltered({ protection: 'x' })]).toEqual([true, false]);
  });

  it('name all servers that the list shows, in whatever order', () => {
    expect(bulkFilterOf({ q: 'web', state: 'reachable', enabled: 'no', sort: 'name' })).toEqual({
      q: 'web',
      state: ['reachable'],
      enabled: false,
    });
    expect(bulkFilterOf({})).toEqual({});
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
