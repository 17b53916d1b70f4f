import { describe, expect, it } from 'vitest';
import { pinnedText, retiredText } from './pin-texts';

describe('the history of pinned keys', () => {
  it('describes who pinned a key, how, and why it was unpinned', () => {
    expect(pinnedText({ pinnedBy: { id: '1', name: 'Ann' }, pinnedHow: 'accepted' })).toBe(
      'by Ann, accepted after presentation by the host',
    );
    expect(retiredText({ retiredBy: { id: '1', name: 'Bob' }, retiredHow: 'readdressed' })).toBe(
      'by Bob: address or jump server changed',
    );
  });

  it('says so where it was not recorded', () => {
    expect(pinnedText({ pinnedBy: null, pinnedHow: null })).toBe('Not recorded');
    expect(retiredText({ retiredBy: null, retiredHow: null })).toBe('');
  });
});
