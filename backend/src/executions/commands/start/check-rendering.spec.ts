import { afterAll, describe, expect, it } from '@jest/globals';
import { countTurns } from '../../../../test/support/turns.js';
import { ThreadPool } from '../../../common/threads/thread-pool.js';
import { StepRenderer } from '../../../plans/rendering/step-renderer.js';
import type { CommandStep } from '../../../plans/steps/types/command.step.js';
import { EMPTY_PLAN } from '../../../plans/steps/plan-content.js';
import { STEP_DEFAULTS } from '../../../plans/steps/types/step-types.js';
import { TemplateRenderer } from '../../../templates/rendering/template-renderer.js';
import type { StepSources } from '../../steps/types/run-step-type.js';
import { requireRenderableSteps } from './check-rendering.js';

const pool = new ThreadPool();
const steps = new StepRenderer(pool, new TemplateRenderer(pool));
afterAll(() => pool.onModuleDestroy());

const sources = (): StepSources => ({
  library: undefined,
  values: [{ name: 'word', value: 'x', secret: false }],
  renderer: steps.createStepRendering({ tenantId: 'acme', asks: 'request' }),
});
const planOf = (commands: readonly string[]) => ({
  ...EMPTY_PLAN,
  steps: commands.map(
    (command, index): CommandStep => ({ ...STEP_DEFAULTS.command, key: `s${index}`, name: 's', command }),
  ),
});
const times = (count: number, command: string): string[] => Array.from({ length: count }, () => command);
const loops = (count: number, body = '{{ j }}') =>
  `echo {% for i in (1..${count}) %}{% for j in (1..${count}) %}${body}{% endfor %}{% endfor %}`;

describe('rendering everything that a start would run', () => {
  it('yields to other tasks about once per ms of its own work', async () => {
    const plan = planOf(times(30, '{{ word }}'.repeat(150)));
    const given = sources();
    const turns = await countTurns(() => requireRenderableSteps(plan, () => [given]));
    expect(turns).toBeGreaterThanOrEqual(plan.steps.length / 2);
  });

  it('names the step and the limit when a text takes too many operations', async () => {
    const plan = planOf([...times(3, 'echo {{ word }}'), loops(900), loops(900)]);
    const given = sources();
    await expect(requireRenderableSteps(plan, () => [given])).rejects.toMatchObject({
      status: 400,
      extras: {
        errors: [
          expect.objectContaining({
            code: 'command_not_rendered',
            message: expect.stringMatching(/^Step "s3": .* more than 500,000 operations\./),
          }),
        ],
      },
    });
  });

  it('refuses a plan whose steps take too many operations together', async () => {
    const plan = planOf(times(60, loops(400, '')));
    const given = sources();
    await expect(requireRenderableSteps(plan, () => [given])).rejects.toMatchObject({
      status: 400,
      extras: {
        errors: [expect.objectContaining({ message: expect.stringMatching(/more than 4,000,000 operations\.$/) })],
      },
    });
  });

  it('refuses the start when rendering takes many seconds', async () => {
    let seconds = 0;
    const plan = planOf(times(400, 'echo {{ word }}'));
    const given = sources();
    const slow = requireRenderableSteps(
      plan,
      () => [given],
      () => 1000 * seconds++,
    );
    await expect(slow).rejects.toMatchObject({
      status: 400,
      extras: {
        errors: [
          expect.objectContaining({ code: 'command_not_rendered', message: expect.stringMatching(/^Step "s256"/) }),
        ],
      },
    });
  });
});
