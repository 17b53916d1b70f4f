import { describe, expect, it } from 'vitest';
import type { PlanStep } from '../../../api/types';
import { stepSettings } from './step-settings';

const step = (change: Partial<PlanStep>): PlanStep => ({
  ...{ key: 's', name: 'S', type: 'command', targets: '', timeoutSeconds: 600, runOnce: false, always: false },
  ...{ confirm: false, onlyIfChanged: [], when: null, retries: null, batch: null, maxFailPercent: null },
  ...{ onFailure: null, command: 'true', okExitCodes: [0], changedExitCodes: [] },
  ...change,
});

describe('settings of a step in the outline', () => {
  it('are none when all are defaults', () => {
    expect(stepSettings(step({}))).toEqual([]);
    expect(stepSettings(step({ type: 'gate', timeoutSeconds: 14_400, message: 'Go?' }))).toEqual([]);
  });

  it('name hosts, conditions, limits and the user, in this order', () => {
    const retries = { count: 3, delaySeconds: 10, backoff: 'constant' as const };
    const set = { targets: 'role=web', batch: '25%', when: 'steps.a.changed', retries, timeoutSeconds: 60 };
    expect(stepSettings(step({ ...set, become: 'root', confirm: true }))).toEqual([
      'role=web',
      '25% at a time',
      'if steps.a.changed',
      'needs confirmation',
      '60 s per host',
      'retries 3× after 10 s',
      'as root',
    ]);
  });
});
