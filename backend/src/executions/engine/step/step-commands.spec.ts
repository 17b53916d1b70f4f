import { afterAll, describe, expect, it } from '@jest/globals';
import { countTurns } from '../../../../test/support/turns.js';
import { ThreadPool } from '../../../common/threads/thread-pool.js';
import { StepRenderer } from '../../../plans/rendering/step-renderer.js';
import type { CommandStep } from '../../../plans/steps/types/command.step.js';
import { STEP_DEFAULTS } from '../../../plans/steps/types/step-types.js';
import { TemplateRenderer } from '../../../templates/rendering/template-renderer.js';
import { createRedactor } from '../../output/redact-secrets.js';
import type { StepSources } from '../../steps/types/run-step-type.js';
import type { RunHost } from '../connections/run-context.js';
import { StepCommands } from './step-commands.js';
import { GET_NO_FACTS } from './step-facts.js';

const pool = new ThreadPool();
const renderer = new StepRenderer(pool, new TemplateRenderer(pool)).createStepRendering({
  tenantId: 'acme',
  asks: 'run',
});
afterAll(() => pool.onModuleDestroy());

const hosts = Array.from(
  { length: 30 },
  (_, n) => ({ serverId: `${n}`, name: `web-${n}`, tags: {} }) as unknown as RunHost,
);

describe('a step that is rendered for each host', () => {
  it('lets the lease be renewed between two hosts, however many there are', async () => {
    const step: CommandStep = { ...STEP_DEFAULTS.command, key: 'one', name: 'one', command: 'echo {{ host.name }}' };
    const sources: StepSources = { library: undefined, values: [], renderer };
    const own = { values: [], exports: [], sources };
    const runContext = {
      ...{ steps: [step], callOutputs: undefined, valuesFor: () => own, valuesOf: () => own },
      ...{ markOf: () => 'mark', redactor: createRedactor([]) },
    };
    const commands = new StepCommands(runContext, step, { host: true, steps: false }, GET_NO_FACTS);
    const turns = await countTurns(() => Promise.all(hosts.map((host) => commands.checkCommand(host))));
    expect(turns).toBeGreaterThanOrEqual(hosts.length - 1);
  });
});

describe('a step without templates', () => {
  it('is used unchanged for hosts with any values of their own', async () => {
    const step: CommandStep = { ...STEP_DEFAULTS.command, key: 'one', name: 'one', command: 'uptime' };
    const sources: StepSources = { library: undefined, values: [], renderer };
    const own = { values: [], exports: [], sources };
    let asked = 0;
    const valuesOf = () => {
      asked += 1;
      return own;
    };
    const runContext = {
      ...{ steps: [step], callOutputs: undefined, valuesFor: () => own, valuesOf },
      ...{ markOf: () => 'mark', redactor: createRedactor([]) },
    };
    const commands = new StepCommands(runContext, step, { host: false, steps: false }, GET_NO_FACTS);
    for (const [n, host] of hosts.entries()) await commands.checkCommand({ ...host, kind: `${n}` });
    expect(asked).toBe(1);
  });
});
