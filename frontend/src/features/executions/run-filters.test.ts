import { describe, expect, it } from 'vitest';
import { cancelFiltersOf, filtersOf, isFiltered, parseRunSearch } from './run-filters';

describe('filters of the run list', () => {
  it('drop unknown and invalid parameters', () => {
    const search = parseRunSearch({ status: 'FAILED', awaiting: 'you', held: 'yes', label: [], page: 3 });
    expect(search).toEqual({ status: 'FAILED' });
    expect(isFiltered(search)).toBe(true);
    expect(isFiltered(parseRunSearch({}))).toBe(false);
  });

  it('become filters of the request', () => {
    const search = {
      status: 'FAILED,NO_STATUS',
      plan: 'p1',
      label: 'a=1',
      held: true,
      awaiting: 'me',
      q: '3c5b6a79',
    } as const;
    expect(filtersOf(search)).toEqual({
      ...{ status: ['FAILED'], planId: 'p1', label: ['a=1'], legalHold: true, awaiting: 'me', q: '3c5b6a79' },
    });
  });

  it('cancel only unfinished runs of admins, in narrow lists', () => {
    const narrow = { plan: 'p1', label: ['a=1', 'b=2'] };
    expect(cancelFiltersOf(narrow, 'admin')).toEqual({ planId: 'p1', labels: { a: '1', b: '2' } });
    expect(cancelFiltersOf({ ...narrow, status: 'RUNNING,FAILED' }, 'admin')).toMatchObject({ status: ['RUNNING'] });
    for (const search of [
      {},
      { status: 'RUNNING' },
      { ...narrow, status: 'FAILED' },
      { ...narrow, held: true as const },
      { ...narrow, awaiting: 'me' as const },
      { label: 'no label' },
    ])
      expect(cancelFiltersOf(search, 'admin')).toBeNull();
    expect(cancelFiltersOf(narrow, 'operator')).toBeNull();
  });
});
