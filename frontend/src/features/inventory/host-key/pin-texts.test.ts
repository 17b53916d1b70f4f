import { describe, expect, it } from 'vitest';
import { pinnedText, retiredText } from './pin-texts';

describe('the history of pinned keys', () => {
  it('tells who pinned a key and how, and why it is pinned no more', () => {
    expect(pinnedText({ pinnedBy: 'Ann', pinnedHow: 'accepted' })).toBe('by Ann, accepted as the host showed it');
    expect(retiredText({ retiredBy: 'Bob', retiredHow: 'readdressed' })).toBe(
      'by Bob: the server got another address or jump server',
    );
  });

  it('says so where it was not recorded', () => {
    expect(pinnedText({ pinnedBy: null, pinnedHow: null })).toBe('Before that was recorded');
    expect(retiredText({ retiredBy: null, retiredHow: null })).toBe('');
  });
});
