import { describe, expect, it } from '@jest/globals';
import { EMPTY_PLAN } from '../../plans/steps/plan-content.js';
import { type PlanStep, STEP_DEFAULTS } from '../../plans/steps/types/step-types.js';
import { toStepPolicy } from './step-policy.js';

const step = (more: Partial<PlanStep> = {}) =>
  ({ ...STEP_DEFAULTS.command, key: 'a', name: 'a', command: 'true', ...more }) as PlanStep;

describe('the policy of a step', () => {
  it('uses defaults for unset fields', () => {
    expect(toStepPolicy(step(), EMPTY_PLAN)).toEqual({
      gate: false,
      placeholder: false,
      confirm: false,
      always: false,
      runOnce: false,
      batch: null,
      maxFailPercent: null,
      onFailure: 'stop',
      continuesOnFailure: false,
      onlyIfChanged: [],
    });
  });

  it.each([
    ['5', { hosts: 5 }],
    ['1', { hosts: 1 }],
    ['25%', { percent: 25 }],
    ['100%', { percent: 100 }],
  ])('parses the batch %s', (batch, expected) => {
    expect(toStepPolicy(step({ batch }), EMPTY_PLAN).batch).toEqual(expected);
  });

  it('takes failure handling from the plan unless the step sets it', () => {
    const plan = { ...EMPTY_PLAN, onFailure: 'continue' as const };
    expect(toStepPolicy(step(), plan).onFailure).toBe('continue');
    expect(toStepPolicy(step({ onFailure: 'stop' }), plan).onFailure).toBe('stop');
    expect(toStepPolicy(step({ onFailure: 'continue' }), EMPTY_PLAN).continuesOnFailure).toBe(true);
    expect(toStepPolicy(step(), { ...EMPTY_PLAN, onFailure: 'continue' }).continuesOnFailure).toBe(false);
  });

  it('recognizes a gate by its type', () => {
    const gate: PlanStep = { ...STEP_DEFAULTS.gate, key: 'a', name: 'a', message: 'Well?' };
    expect(toStepPolicy(gate, EMPTY_PLAN).gate).toBe(true);
  });
});
