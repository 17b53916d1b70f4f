import { describe, expect, it } from 'vitest';
import type { BulkResult } from '../../../api/types';
import { confirmText, EMPTY_FORM, toBulkChange, summaryOf } from './bulk-text';

const result = (numbers: Partial<BulkResult>): BulkResult => ({
  preview: true,
  matched: 0,
  changed: 0,
  unchanged: 0,
  refused: 0,
  items: [],
  moreItems: 0,
  otherServers: [],
  hiddenServers: 0,
  ...numbers,
});

describe('what is asked of many servers', () => {
  it('is nothing while nothing is typed', () => {
    expect([toBulkChange('tags', EMPTY_FORM), toBulkChange('move', EMPTY_FORM)]).toEqual([null, null]);
  });

  it('adds tags by key and value and removes them by key', () => {
    expect(toBulkChange('tags', { ...EMPTY_FORM, add: ['role = web', 'a=b=c'], remove: ['old=x', 'old'] })).toEqual({
      action: 'change',
      addTags: { role: 'web', a: 'b=c' },
      removeTags: ['old'],
    });
  });

  it('is the switch, the environment or the deletion alone', () => {
    expect(toBulkChange('disable', { ...EMPTY_FORM, environmentId: 'e' })).toEqual({
      action: 'change',
      enabled: false,
    });
    expect(toBulkChange('move', { ...EMPTY_FORM, add: ['a=b'], environmentId: 'e' })).toEqual({
      action: 'change',
      environmentId: 'e',
    });
    expect(toBulkChange('delete', EMPTY_FORM)).toEqual({ action: 'delete' });
  });
});

describe('what a preview says', () => {
  it('counts changed, unchanged and refused servers', () => {
    const preview = result({ changed: 1200, unchanged: 3, refused: 1 });
    expect(summaryOf(preview, 'tags')).toBe('1,200 servers to change, 3 unchanged, 1 refused');
    expect(confirmText(preview, 'move')).toBe('Move remaining 1,200');
    expect(confirmText(result({ changed: 1 }), 'delete')).toBe('Delete 1 server');
    expect(summaryOf(result({ changed: 2, preview: false }), 'delete')).toBe('2 servers deleted');
  });
});
