import { describe, expect, it } from '@jest/globals';
import { turnsDuring } from '../../../../test/support/turns.js';
import { type CommandStep, EMPTY_PLAN, STEP_DEFAULTS } from '../../../plans/steps/plan-content.js';
import type { StepSources } from '../../steps/step-command.js';
import { checkRendering } from './check-rendering.js';

const steps = Array.from(
  { length: 30 },
  (_, index): CommandStep => ({ ...STEP_DEFAULTS.command, key: `s${index}`, name: 's', command: 'echo {{ word }}' }),
);
const plan = { ...EMPTY_PLAN, steps };
const sources: StepSources = {
  library: undefined,
  values: [{ name: 'word', value: 'x', secret: false }],
  renderer: {
    sketch: () => Promise.resolve({ text: '', unknown: [] }),
    compare: () => Promise.resolve(null),
    render: () => Promise.resolve(''),
    check: () => Promise.resolve({ host: false, steps: false, names: [] }),
  },
};

describe('rendering all that a start would run', () => {
  it('lets others go on between two steps, and between the texts of one', async () => {
    const turns = await turnsDuring(() => checkRendering(plan, () => [sources]));
    expect(turns).toBeGreaterThanOrEqual(3 * steps.length - 1);
  });

  it('is given up when it takes seconds, and the start refused', async () => {
    let seconds = 0;
    const slow = checkRendering(
      plan,
      () => [sources],
      () => 1000 * seconds++,
    );
    await expect(slow).rejects.toMatchObject({
      status: 400,
      extras: expect.objectContaining({
        errors: [
          expect.objectContaining({ code: 'command_not_rendered', message: expect.stringMatching(/^Step "s16"/) }),
        ],
      }),
    });
  });
});
