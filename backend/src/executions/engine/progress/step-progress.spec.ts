import { describe, expect, it } from '@jest/globals';
import { type HostChange, StepCounts, getStatusAfter } from './step-progress.js';

const outcome = { status: 'FAILED', exitCode: 1, signal: null, code: 'exit_code', message: null } as const;
const before = { stdout: 0, stderr: 0 };
const CHANGES: HostChange[] = [
  { serverId: 'a', kind: 'connecting' },
  { serverId: 'a', kind: 'dispatch', dispatchId: 'd', attempt: 1, before, journaled: true },
  { serverId: 'a', kind: 'started', first: true, journaled: true, before },
  { serverId: 'a', kind: 'retrying', attempt: 1, delayMs: 5, outcome },
  { serverId: 'a', kind: 'finished', outcome, totals: null },
];

describe('a change of a host', () => {
  it('leads to its status; the intent to start leaves it unchanged', () => {
    expect(CHANGES.map(getStatusAfter)).toEqual(['CONNECTING', null, 'RUNNING', 'PENDING', 'FAILED']);
  });
});

describe('the counts of a step', () => {
  it('are reported as differences, whose sums always equal the hosts by status', () => {
    const counts = new StepCounts([
      ['a', 'PENDING'],
      ['b', 'PENDING'],
      ['c', 'SUCCEEDED'],
    ]);
    const sums: Record<string, number> = { PENDING: 2, SUCCEEDED: 1 };
    const reports = CHANGES.map((change) => {
      counts.applyChange(change);
      for (const [status, n] of Object.entries(counts.takeDelta())) sums[status] = (sums[status] ?? 0) + n;
      return Object.fromEntries(Object.entries(sums).filter(([, n]) => n !== 0));
    });
    expect(reports).toEqual([
      { CONNECTING: 1, PENDING: 1, SUCCEEDED: 1 },
      { CONNECTING: 1, PENDING: 1, SUCCEEDED: 1 },
      { RUNNING: 1, PENDING: 1, SUCCEEDED: 1 },
      { PENDING: 2, SUCCEEDED: 1 },
      { FAILED: 1, PENDING: 1, SUCCEEDED: 1 },
    ]);
  });

  it('report each difference once', () => {
    const counts = new StepCounts([['a', 'PENDING']]);
    counts.applyChange({ serverId: 'a', kind: 'connecting' });
    expect(counts.takeDelta()).toEqual({ PENDING: -1, CONNECTING: 1 });
    expect(counts.takeDelta()).toEqual({});
  });

  it('know how many hosts have reached the step, each once', () => {
    const counts = new StepCounts([['a', 'PENDING']]);
    counts.setStatuses([
      ['a', 'PENDING'],
      ['b', 'PENDING'],
    ]);
    counts.applyChange({ serverId: 'b', kind: 'connecting' });
    expect(counts.reachedHostCount).toBe(2);
  });
});
