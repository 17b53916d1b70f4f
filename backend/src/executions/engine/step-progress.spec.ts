import { describe, expect, it } from '@jest/globals';
import { type HostChange, StepCounts, statusAfter } from './step-progress.js';

const outcome = { status: 'FAILED', exitCode: 1, signal: null, code: 'exit_code', message: null } as const;
const CHANGES: HostChange[] = [
  { serverId: 'a', kind: 'connecting' },
  { serverId: 'a', kind: 'dispatch', dispatchId: 'd' },
  { serverId: 'a', kind: 'started' },
  { serverId: 'a', kind: 'finished', outcome, totals: null },
];

describe('a change of a host', () => {
  it('leads to its status; the intent to start leaves it as it is', () => {
    expect(CHANGES.map(statusAfter)).toEqual(['CONNECTING', null, 'RUNNING', 'FAILED']);
  });
});

describe('the counts of a step', () => {
  it('follow each change, and their sum stays the number of hosts', () => {
    const counts = new StepCounts([
      ['a', 'PENDING'],
      ['b', 'PENDING'],
      ['c', 'SUCCEEDED'],
    ]);
    const told = CHANGES.map((change) => {
      counts.apply(change);
      return counts.counts();
    });
    expect(told).toEqual([
      { CONNECTING: 1, PENDING: 1, SUCCEEDED: 1 },
      { CONNECTING: 1, PENDING: 1, SUCCEEDED: 1 },
      { RUNNING: 1, PENDING: 1, SUCCEEDED: 1 },
      { FAILED: 1, PENDING: 1, SUCCEEDED: 1 },
    ]);
  });
});
