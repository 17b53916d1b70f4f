import { describe, expect, it } from 'vitest';
import { isSameSearch, MAX_NAME_LENGTH, MAX_SAVED_FILTERS, readSaved, searchOf, withSaved } from './saved-filters';

describe('saved filters', () => {
  it('are unchanged after a round trip, without invalid entries', () => {
    const good = { name: 'Down', search: { state: 'unreachable', environment: 'e1' } };
    const stored = [
      good,
      { name: '', search: {} },
      { name: 'x'.repeat(MAX_NAME_LENGTH + 1), search: {} },
      null,
      'text',
      { name: 'Down', search: {} },
    ];
    expect(readSaved(JSON.stringify(stored))).toEqual([good]);
    for (const text of [null, '', '{', '{}', '5', 'null']) expect(readSaved(text)).toEqual([]);
  });

  it('hold filters only, of bounded length', () => {
    const foreign = {
      q: 'web',
      open: 'edit',
      state: 5,
      selector: 'x'.repeat(1001),
      sort: '',
      __proto__: { enabled: 'no' },
    };
    expect(searchOf(foreign)).toEqual({ q: 'web' });
    expect(searchOf(undefined)).toEqual({});
  });

  it('are bounded, and one of the same name takes the place of the one before', () => {
    const many = Array.from({ length: MAX_SAVED_FILTERS + 5 }, (_, index) => ({ name: `f${index}`, search: {} }));
    expect(readSaved(JSON.stringify(many))).toHaveLength(MAX_SAVED_FILTERS);
    const saved = withSaved([{ name: 'b', search: { q: 'x' } }], { name: 'a', search: {} });
    expect(withSaved(saved, { name: 'b', search: { q: 'y' } })).toEqual([
      { name: 'a', search: {} },
      { name: 'b', search: { q: 'y' } },
    ]);
  });

  it('are recognised when they are what the list shows', () => {
    expect(isSameSearch({ q: 'web' }, { q: 'web', sort: undefined })).toBe(true);
    expect(isSameSearch({ q: 'web' }, { q: 'web', enabled: 'no' })).toBe(false);
  });
});
