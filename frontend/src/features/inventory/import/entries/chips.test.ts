import { describe, expect, it } from 'vitest';
import type { ImportCounts } from '../../../../api/types';
import { actionsOf, applyLabel, chipsOf, chosen, countsText, touched } from './chips';

const counts = (some: Partial<ImportCounts>): ImportCounts => ({
  create: 0,
  change: 0,
  leave: 0,
  disable: 0,
  remove: 0,
  keep: 0,
  skip: 0,
  refuse: 0,
  ...some,
});
const labels = (some: Partial<ImportCounts>) => chipsOf(counts(some)).map(({ label, count }) => `${label} ${count}`);

describe('the filters of what an import does', () => {
  it('are those of the actions that happen, what stands against it first', () => {
    expect(labels({ create: 2, refuse: 1 })).toEqual(['All 3', 'Refused 1', 'New 2']);
    expect(labels({ create: 2 })).toEqual(['New 2']);
    expect(labels({})).toEqual([]);
  });

  it('begin with the differences when some servers are unchanged', () => {
    expect(labels({ change: 1, leave: 480 })).toEqual(['Differences 1', 'Changed 1', 'Unchanged 480', 'All 481']);
    expect(chosen(undefined, counts({ change: 1, leave: 480 }))).toBe('differences');
    expect(chosen(undefined, counts({ leave: 480 }))).toBe('leave');
    expect(chosen(undefined, counts({ create: 1, change: 1 }))).toBe('all');
    expect(chosen(undefined, counts({}))).toBe('all');
  });

  it('heed the choice unless there is nothing of it', () => {
    expect(chosen('leave', counts({ change: 1, leave: 480 }))).toBe('leave');
    expect(chosen('all', counts({ change: 1, leave: 480 }))).toBe('all');
    expect(chosen('remove', counts({ change: 1, leave: 480 }))).toBe('differences');
  });

  it('ask for what they say', () => {
    expect(actionsOf('all')).toEqual([]);
    expect(actionsOf('keep')).toEqual(['keep']);
    expect(actionsOf('differences')).toEqual(['refuse', 'skip', 'create', 'change', 'disable', 'remove', 'keep']);
  });
});

describe('what an import does, in words', () => {
  it.each([
    ['Import 12 servers', { create: 10, change: 2, leave: 5 }],
    ['Import 1 server', { change: 1 }],
    ['Import 2 servers and remove 3', { create: 2, remove: 3 }],
    ['Import 2,000 servers, disable 1 and remove 3', { create: 2000, disable: 1, remove: 3 }],
    ['Disable 2 servers', { disable: 2 }],
    ['Remove 1 server', { remove: 1, keep: 4 }],
    ['Import', { leave: 4 }],
  ])('is “%s” on its button', (label, some) => {
    expect(applyLabel(counts(some))).toBe(label);
  });

  it('counts what it does something with', () => {
    expect(touched(counts({ create: 1, change: 2, disable: 3, remove: 4, leave: 9, keep: 9, refuse: 9 }))).toBe(10);
  });

  it('has a summary', () => {
    expect(countsText(counts({ create: 1200, leave: 3 }))).toBe('1,200 new, 3 unchanged');
  });
});
