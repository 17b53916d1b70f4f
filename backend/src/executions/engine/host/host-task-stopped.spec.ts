import { describe, expect, it } from '@jest/globals';
import type { CommandStep } from '../../../plans/steps/types/command.step.js';
import { STEP_DEFAULTS } from '../../../plans/steps/types/step-types.js';
import { createRedactor } from '../../output/redact-secrets.js';
import { HostTask } from './host-tasks.js';
import type { StoredHostState } from '../step/stored-host-state.js';
import type { StepContext } from '../step/step-context.js';
import type { RunHost } from '../connections/run-context.js';
import { StepControl } from '../step/step-control.js';
import type { HostChange } from '../progress/step-progress.js';

const retries = { count: 2, delaySeconds: 3600, backoff: 'constant' } as const;
const step: CommandStep = { ...STEP_DEFAULTS.command, key: 'one', name: 'one', command: 'true', retries };
const host = { serverId: 'a', name: 'web-1', tags: {} } as unknown as RunHost;
const stored = { serverId: 'a', status: 'PENDING', dispatchId: null, attempts: 0, attemptsBefore: 0 };
const unreachable = { status: 'UNREACHABLE', exitCode: null, signal: null, code: 'connect_timeout', message: null };

describe('a cancelled run', () => {
  it('is not delayed until the next attempt when the cancel arrives while an attempt is stored', async () => {
    const control = new StepControl();
    const changes: HostChange[] = [];
    const context = {
      runContext: { redactor: createRedactor([]) },
      commands: {
        step,
        isConditionTrue: () => true,
        checkCommand: () => Promise.resolve(),
        forgetHost: () => undefined,
      },
      connections: { hasConnection: () => false, getConnection: () => Promise.resolve(unreachable) },
      writer: {
        addChange: (change: HostChange) => {
          changes.push(change);
          if (change.kind === 'retrying') control.stop('cancel');
          return Promise.resolve();
        },
      },
      lease: { ref: { tenantId: 't', executionId: 'e' }, lost: new AbortController().signal },
      isNeededLater: () => true,
      slots: { takeSlot: () => Promise.resolve(() => undefined) },
      control,
      journal: null,
    } as unknown as StepContext;
    await new HostTask(context, host, stored as unknown as StoredHostState).run();
    expect(changes.map(({ kind }) => kind)).toEqual(['connecting', 'retrying', 'finished']);
  });
});
