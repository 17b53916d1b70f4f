import { describe, expect, it } from '@jest/globals';
import { AttemptClearance } from './attempt-clearance.js';
import type { Lease } from '../lease/lease.js';
import { StepControl } from './step-control.js';

const lease = { ref: { tenantId: 't', executionId: 'e' }, lost: new AbortController().signal } as Lease;

describe('clearance of a further attempt', () => {
  it('is looked up once for all hosts that ask at the same moment, and again for later ones', async () => {
    let asked = 0;
    const store = { mayContinue: () => Promise.resolve((asked += 1) > 0) };
    const clearance = new AttemptClearance(store, lease, new StepControl());
    expect(await Promise.all([1, 2, 3].map(() => clearance.mayBegin()))).toEqual([true, true, true]);
    expect(asked).toBe(1);
    expect(await clearance.mayBegin()).toBe(true);
    expect(asked).toBe(2);
  });

  it('is refused to every host of the step once it was refused to one, including waiting hosts', async () => {
    const control = new StepControl();
    let answer = false;
    const clearance = new AttemptClearance({ mayContinue: () => Promise.resolve(answer) }, lease, control);
    const waits = control.pauseBeforeAttempt(3_600_000);
    expect(await clearance.mayBegin()).toBe(false);
    await waits;
    await control.pauseBeforeAttempt(3_600_000);
    answer = true;
    expect(await clearance.mayBegin()).toBe(false);
  });
});
