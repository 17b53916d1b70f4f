import { describe, expect, it } from '@jest/globals';
import { EMPTY_PLAN, type PlanStep, STEP_DEFAULTS } from '../../plans/steps/plan-content.js';
import { policyOf } from './step-policy.js';

const step = (more: Partial<PlanStep> = {}) =>
  ({ ...STEP_DEFAULTS.command, key: 'a', name: 'a', command: 'true', ...more }) as PlanStep;

describe('the policy of a step', () => {
  it('uses defaults for unset fields', () => {
    expect(policyOf(step(), EMPTY_PLAN)).toEqual({
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
    expect(policyOf(step({ batch }), EMPTY_PLAN).batch).toEqual(expected);
  });

  it('takes failure handling from the plan unless the step sets it', () => {
    const plan = { ...EMPTY_PLAN, onFailure: 'continue' as const };
    expect(policyOf(step(), plan).onFailure).toBe('continue');
    expect(policyOf(step({ onFailure: 'stop' }), plan).onFailure).toBe('stop');
    expect(policyOf(step({ onFailure: 'continue' }), EMPTY_PLAN).continuesOnFailure).toBe(true);
    expect(policyOf(step(), { ...EMPTY_PLAN, onFailure: 'continue' }).continuesOnFailure).toBe(false);
  });

  it('recognizes a gate by its type', () => {
    const gate: PlanStep = { ...STEP_DEFAULTS.gate, key: 'a', name: 'a', message: 'Well?' };
    expect(policyOf(gate, EMPTY_PLAN).gate).toBe(true);
  });
});
