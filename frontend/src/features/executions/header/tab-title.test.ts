import { describe, expect, it } from 'vitest';
import type { Execution } from '../../../api/types';
import { progressOf, tabTitle } from './tab-title';

const runWith = (counts: object[], more: Partial<Execution> = {}) =>
  ({
    ...{ status: 'RUNNING', planName: 'Deploy shop', hostCount: 4, pauseReason: null, queue: null },
    steps: counts.map((each) => ({ counts: each })),
    ...more,
  }) as Execution;

describe('the title of the tab of a run', () => {
  it('begins with the progress over all steps and hosts', () => {
    const run = runWith([{ SUCCEEDED: 3, FAILED: 1 }, { SUCCEEDED: 1, RUNNING: 2 }, {}]);
    expect(tabTitle(run)).toBe('41 %: Deploy shop');
  });

  it('begins with the status if the run does not run', () => {
    expect(tabTitle(runWith([{ SUCCEEDED: 4 }], { status: 'FAILED' }))).toBe('Failed: Deploy shop');
  });

  it('has a progress between 0 and 100 for any run', () => {
    expect(progressOf(runWith([], { hostCount: 0 }))).toBe(0);
    expect(progressOf(runWith([{ SUCCEEDED: 9 }]))).toBe(100);
  });
});
