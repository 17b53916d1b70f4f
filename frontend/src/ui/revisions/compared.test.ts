import { describe, expect, it } from 'vitest';
import { chosenRevisions, searchOf, toggled } from './compared';

describe('the revisions that are compared', () => {
  it('are in the URL, the earlier one first, each once', () => {
    expect(chosenRevisions({})).toEqual([]);
    expect(chosenRevisions({ later: 3 })).toEqual([3]);
    expect(chosenRevisions({ earlier: 7, later: 3 })).toEqual([3, 7]);
    expect(chosenRevisions({ earlier: 3, later: 3 })).toEqual([3]);
    expect(chosenRevisions({ earlier: 0, later: 3 })).toEqual([3]);
    for (const chosen of [[], [4], [2, 9]]) expect(chosenRevisions(searchOf(chosen))).toEqual(chosen);
    expect(searchOf([4])).toEqual({ earlier: undefined, later: 4 });
  });

  it('are chosen and given up one by one', () => {
    expect(toggled([], 3)).toEqual([3]);
    expect(toggled([3], 1)).toEqual([1, 3]);
    expect(toggled([1, 3], 1)).toEqual([3]);
    expect(toggled([3], 3)).toEqual([]);
  });

  it('drop one for a third one', () => {
    expect(toggled([2, 4], 6)).toEqual([2, 6]);
    expect(toggled([2, 4], 1)).toEqual([1, 4]);
    expect(toggled([2, 4], 3)).toEqual([2, 3]);
  });
});
