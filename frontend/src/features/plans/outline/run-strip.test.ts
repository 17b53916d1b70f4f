import { describe, expect, it } from 'vitest';
import type { ExecutionSummary } from '../../../api/types';
import { barHeights, describeRun, describeRuns } from './run-strip';

const START = Date.parse('2026-01-01T00:00:00Z');
const run = (seconds: number | null, change: Partial<ExecutionSummary> = {}): ExecutionSummary =>
  ({
    ...{ status: 'SUCCEEDED', successful: true, finished: true, execution_mode: 'auto', environmentName: 'live' },
    createdAt: new Date(START).toISOString(),
    startedAt: new Date(START).toISOString(),
    finishedAt: seconds === null ? null : new Date(START + seconds * 1000).toISOString(),
    ...change,
  }) as ExecutionSummary;
const failed = { status: 'FAILED', successful: false } as const;

describe('the bars of a plan’s runs', () => {
  it('grow with the duration, and keep a least height without one', () => {
    expect(barHeights([run(100), run(25), run(0), run(null)], 12)).toEqual([100, 50, 12, 12]);
    expect(barHeights([], 12)).toEqual([]);
  });

  it('have the result, duration, environment and time as their name', () => {
    expect(describeRun(run(41))).toMatch(/^Succeeded, 41 s, live, .*2026/);
    expect(describeRun(run(null, { status: 'RUNNING', execution_mode: 'dry_run' }))).toMatch(/^Running, dry run, live/);
  });

  it('are summed up without dry runs and unfinished ones', () => {
    const runs = [run(10), run(30), run(20), run(5, failed), run(1, { execution_mode: 'dry_run' })];
    expect(describeRuns([...runs, run(null, { finished: false })])).toBe('3 of 4 runs succeeded, median 20 s');
    expect(describeRuns([run(1, { execution_mode: 'dry_run' })])).toBe('1 run');
    expect(describeRuns([run(5, failed)])).toBe('0 of 1 run succeeded');
  });
});
