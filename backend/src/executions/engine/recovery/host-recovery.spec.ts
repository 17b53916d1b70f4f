import { describe, expect, it } from '@jest/globals';
import type { CommandStep } from '../../../plans/steps/types/command.step.js';
import { STEP_DEFAULTS } from '../../../plans/steps/types/step-types.js';
import { HostRecovery } from './host-recovery.js';
import type { StepContext } from '../step/step-context.js';
import type { RunHost } from '../connections/run-context.js';
import { StepControl } from '../step/step-control.js';

const command: CommandStep = { ...STEP_DEFAULTS.command, key: 'one', name: 'one', command: 'true' };
const host = { serverId: 'a', name: 'web-1', tags: {} } as unknown as RunHost;

describe('a host that is reached and lost again each time', () => {
  const recover = (overdue: boolean) => {
    let asked = 0;
    const connection = {
      exec: () => undefined,
      isOpen: true,
      attach: () => Promise.resolve({ kind: 'attached', command: {} }),
    };
    const step = {
      stepIndex: 0,
      commands: { step: command },
      connections: {
        keepJournals: () => undefined,
        getConnection: () => Promise.resolve(connection),
        dropConnection: () => undefined,
      },
      writer: { addChange: () => Promise.resolve() },
      lease: { lost: new AbortController().signal },
      control: new StepControl(),
      journal: { toJournalEntry: () => ({}) },
      recoveryMs: 30,
    } as unknown as StepContext;
    const recovery = new HostRecovery(step, host, 'id', {
      why: 'gone',
      journaled: true,
      acknowledged: true,
      intentAt: null,
      restartOutput: () => undefined,
      onOutput: () => undefined,
      isRecoveryOverdue: () => overdue,
      observe: () => {
        asked += 1;
        if (asked > 30) throw new Error('asked on and on');
        return Promise.resolve({ kind: 'lost', started: true, journaled: true, message: 'cut off' });
      },
      waitBeforeRetry: () => new Promise((resolve) => setTimeout(resolve, 5)),
      getStopRequest: () => null,
    });
    return recovery.recoverHost();
  };

  it('is asked for as long as the step may take', async () => {
    await expect(recover(false)).rejects.toThrow('asked on and on');
  });

  it('gives up after that, and the result of the command is UNKNOWN', async () => {
    expect(await recover(true)).toMatchObject({
      kind: 'gone',
      outcome: { status: 'UNKNOWN', code: 'unreachable', message: expect.stringContaining('cut off') },
    });
  });
});

describe('a host that does not know a command whose start was not seen', () => {
  const recover = async (hostUpMs: number, intentForMs: number, isAcknowledged = false) => {
    const connection = { exec: () => undefined, attach: () => Promise.resolve({ kind: 'never_started', hostUpMs }) };
    const step = {
      stepIndex: 0,
      commands: { step: command },
      connections: { keepJournals: () => undefined, getConnection: () => Promise.resolve(connection) },
      writer: { addChange: () => Promise.resolve() },
      lease: { lost: new AbortController().signal },
      control: new StepControl(),
      journal: { toJournalEntry: () => ({}) },
      recoveryMs: 1000,
    } as unknown as StepContext;
    return new HostRecovery(step, host, 'id', {
      why: 'gone',
      journaled: null,
      acknowledged: isAcknowledged,
      intentAt: performance.now() - intentForMs,
      restartOutput: () => undefined,
      onOutput: () => undefined,
      isRecoveryOverdue: () => false,
      observe: () => Promise.reject(new Error('there is nothing to observe')),
      waitBeforeRetry: () => Promise.resolve(),
      getStopRequest: () => null,
    }).recoverHost();
  };

  it('never started it, if it was up when the command was to be sent', async () => {
    expect(await recover(3_600_000, 60_000)).toMatchObject({ kind: 'never_started' });
  });

  it('gives no certainty, if it may have booted since', async () => {
    expect(await recover(30_000, 60_000)).toMatchObject({
      kind: 'gone',
      outcome: { status: 'UNKNOWN', code: 'start_unknown', message: expect.stringContaining('Check the host') },
    });
  });

  it('has lost a command that was seen to start, however long it has been up', async () => {
    const gone = { kind: 'gone', outcome: { status: 'UNKNOWN', code: 'journal_gone' } };
    expect(await recover(3_600_000, 60_000, true)).toMatchObject(gone);
    expect(await recover(30_000, 60_000, true)).toMatchObject(gone);
  });
});
