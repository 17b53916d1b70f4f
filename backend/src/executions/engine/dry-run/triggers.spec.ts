import { describe, expect, it } from '@jest/globals';
import type { CommandStep } from '../../../plans/steps/types/command.step.js';
import { STEP_DEFAULTS } from '../../../plans/steps/types/step-types.js';
import type { Verdict } from '../../lifecycle/statuses.js';
import { wouldBeTriggered } from './triggers.js';

const step = (key: string, fields: Partial<CommandStep> = {}): CommandStep => ({
  ...STEP_DEFAULTS.command,
  key,
  name: key,
  command: 'x',
  ...fields,
});
const handler = step('restart', { onlyIfChanged: ['plain', 'exact'] });
const steps = [step('plain'), step('exact', { changedExitCodes: [9] }), handler];

describe('a handler', () => {
  it('is always triggered for a step that is not a handler', () => {
    expect(wouldBeTriggered(step('alone'), steps, {})).toBe(true);
  });

  it.each<[Record<string, Verdict | null>, boolean | 'unknown']>([
    [{ plain: 'WOULD_RUN' }, true],
    [{ plain: 'WOULD_CHANGE' }, true],
    [{ plain: 'NO_CHANGE' }, true],
    [{ exact: 'WOULD_CHANGE' }, true],
    [{ exact: 'NO_CHANGE' }, false],
    [{ exact: 'WOULD_RUN' }, 'unknown'],
    [{ plain: 'WOULD_SKIP', exact: 'WOULD_SKIP' }, false],
    [{ plain: 'BLOCKED' }, 'unknown'],
    [{ plain: 'CANNOT_PREDICT' }, 'unknown'],
    [{ plain: null }, 'unknown'],
    [{ plain: 'CANNOT_PREDICT', exact: 'WOULD_CHANGE' }, true],
    [{ plain: 'WOULD_SKIP', exact: 'CANNOT_PREDICT' }, 'unknown'],
    // No notifying step runs on the host.
    [{}, false],
  ])('after %j is triggered: %s', (earlier, triggered) => {
    expect(wouldBeTriggered(handler, steps, earlier)).toBe(triggered);
  });

  it('is not triggered by a step that never changes anything', () => {
    const reading = [step('plain', { readOnly: true }), handler];
    expect(wouldBeTriggered(handler, reading, { plain: 'WOULD_RUN' })).toBe(false);
  });
});
