import { describe, expect, it } from 'vitest';
import { stepShares } from './step-share';

describe('the hosts of a step', () => {
  it('are counted by tone, in the same order for each step', () => {
    const counts = { UNREACHABLE: 2, FAILED: 7, SUCCEEDED: 590, PENDING: 4, UNKNOWN: 1, RUNNING: 3 };
    expect(stepShares({ counts })).toEqual([
      { tone: 'good', count: 590 },
      { tone: 'active', count: 3 },
      { tone: 'warn', count: 1 },
      { tone: 'bad', count: 9 },
    ]);
  });

  it('have no part for statuses without hosts', () => {
    expect(stepShares({ counts: { SUCCEEDED: 0 } })).toEqual([]);
    expect(stepShares({ counts: {} })).toEqual([]);
  });
});
