import { describe, expect, it } from '@jest/globals';
import { type CommandStep, STEP_DEFAULTS } from '../../plans/plan-content.js';
import { CommandTemplateError } from '../../plans/variables/render-command.js';
import { createRedactor } from '../output/redact-secrets.js';
import { HostRun } from './host-run.js';
import type { HostStanding } from './host-standing.js';
import type { HostStep } from './host-step.js';
import type { RunHost } from './run-material.js';
import { StepControl } from './step-control.js';
import type { HostChange } from './step-progress.js';

const step: CommandStep = { ...STEP_DEFAULTS.command, key: 'one', name: 'one', command: 'true' };
const host = { serverId: 'a', name: 'web-1', tags: {} } as unknown as RunHost;
const standing: HostStanding = {
  serverId: 'a',
  status: 'PENDING',
  dispatchId: null,
  journaled: null,
  runsForMs: 0,
  attempts: 0,
  attemptsBefore: 0,
  output: {
    stored: { bytes: { stdout: 0, stderr: 0 }, openLine: { stdout: 0, stderr: 0 } },
    before: { stdout: 0, stderr: 0 },
  } as unknown as HostStanding['output'],
};

describe('a command that can be rendered when it is looked at, and no longer when it is sent', () => {
  it('fails on its host, with nothing sent, and does not break the run off', async () => {
    const changes: HostChange[] = [];
    let sent = 0;
    const parts = {
      stepIndex: 0,
      material: { redactor: createRedactor([]) },
      commands: {
        step,
        holds: () => true,
        check: () => Promise.resolve(),
        mark: () => null,
        script: () => Promise.reject(new CommandTemplateError('too_much', 'The template takes too much time.')),
      },
      connections: {
        isWarm: () => false,
        get: () => Promise.resolve({ exec: () => Promise.resolve((sent += 1)) }),
        forgetLater: () => undefined,
      },
      writer: {
        change: (change: HostChange) => Promise.resolve(void changes.push(change)),
        add: () => undefined,
        remove: () => undefined,
      },
      lease: {
        ref: { tenantId: 't', executionId: 'e' },
        lost: new AbortController().signal,
        demand: () => Promise.resolve(),
      },
      slots: { take: () => Promise.resolve(() => undefined) },
      control: new StepControl(),
      journal: null,
      recoveryMs: 1000,
      outputLimits: { headBytes: 1000, tailBytes: 1000 },
    } as unknown as HostStep;
    await new HostRun(parts, host, standing).run();
    expect(changes.map(({ kind }) => kind)).toEqual(['connecting', 'finished']);
    expect(changes[1]).toMatchObject({ outcome: { status: 'FAILED', code: 'cannot_render' } });
    expect(sent).toBe(0);
  });
});
