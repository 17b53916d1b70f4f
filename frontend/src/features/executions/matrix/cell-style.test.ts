import { describe, expect, it } from 'vitest';
import { BLANK_CELL } from '../run/run-cells.reducer';
import { cellStyle, describeCell } from './cell-style';

describe('a cell of the matrix', () => {
  it('says more than its status where there is more to say', () => {
    const label = (change: object) => cellStyle({ ...BLANK_CELL, ...change }).label;
    expect(label({ status: 'UNKNOWN' })).toBe('Unknown');
    expect(label({ status: 'UNKNOWN', resolution: 'marked_failed' })).toBe('Marked failed');
    expect(label({ status: 'CONNECTING', reason: { code: 'reconnecting', text: '' } })).toBe('Reconnecting');
    expect(label({ status: 'PENDING', attempts: 2 })).toBe('Retrying');
    expect(label({ status: 'SUCCEEDED', verdict: 'WOULD_CHANGE' })).toBe('Would change');
  });

  it('keeps its status when a resolution came after it was settled by the host itself', () => {
    expect(cellStyle({ ...BLANK_CELL, status: 'SUCCEEDED', resolution: 'run_again' }).label).toBe('Succeeded');
  });

  it('is described with its attempts and changes', () => {
    expect(describeCell({ ...BLANK_CELL, status: 'SUCCEEDED', attempts: 1, changed: false }, true)).toBe('Succeeded');
    const changing = { ...BLANK_CELL, status: 'FAILED', attempts: 3, changed: true } as const;
    expect(describeCell(changing, true)).toBe('Failed, attempt 3, changed the host');
    expect(describeCell(changing, false)).toBe('Failed, attempt 3');
  });
});
