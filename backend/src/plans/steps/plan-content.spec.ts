import { describe, expect, it } from '@jest/globals';
import { EMPTY_PLAN, readPlanContent } from './plan-content.js';
import { STEP_DEFAULTS } from './types/step-types.js';

describe('stored content', () => {
  it('gets defaults for fields that did not exist when it was stored', () => {
    const step = { key: 'a', name: 'A', type: 'command', command: 'ls', targets: 'role=web', timeoutSeconds: 5 };
    const stored = { targets: 'x', variables: [{ name: 'v', type: 'string' }], steps: [step], timeoutSeconds: 9 };
    expect(readPlanContent(stored)).toEqual({
      ...EMPTY_PLAN,
      ...stored,
      steps: [{ ...STEP_DEFAULTS.command, ...step }],
    });
    expect(readPlanContent(stored)).toMatchObject({
      maxFailPercent: 0,
      onFailure: 'stop',
      strategy: 'barrier',
      parallelSafe: false,
      locks: [],
      allowedModes: [],
      steps: [{ runOnce: false, when: null, okExitCodes: [0], become: null, onlyIfChanged: [] }],
    });
  });

  it('keeps its values', () => {
    const whole = {
      ...EMPTY_PLAN,
      locks: ['a'],
      onFailure: 'continue',
      steps: [
        { ...STEP_DEFAULTS.command, key: 'a', name: 'A', command: 'ls', okExitCodes: [1], environment: { A: 'b' } },
        { ...STEP_DEFAULTS.wait, key: 'b', name: 'B', port: 22 },
        { ...STEP_DEFAULTS.gate, key: 'c', name: 'C', message: 'Go?' },
      ],
    };
    expect(readPlanContent(structuredClone(whole))).toEqual(whole);
  });
});
