import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { CommandStep } from '../../../plans/steps/types/command.step.js';
import { STEP_DEFAULTS } from '../../../plans/steps/types/step-types.js';
import { JOURNAL_CHECK_SCRIPT } from '../../../transport/journal/journal-check.js';
import { CommandTemplateError } from '../../../plans/rendering/render-command.js';
import { createRedactor } from '../../output/redact-secrets.js';
import { DispatchIds } from '../connections/journal-entries.js';
import { HostTask } from './host-tasks.js';
import type { StoredHostState } from '../step/stored-host-state.js';
import type { StepContext } from '../step/step-context.js';
import type { RunHost } from '../connections/run-context.js';
import { StepControl } from '../step/step-control.js';
import type { HostChange } from '../progress/step-progress.js';

const step: CommandStep = { ...STEP_DEFAULTS.command, key: 'one', name: 'one', command: 'true' };
const host = { serverId: 'a', name: 'web-1', tags: {} } as unknown as RunHost;
const stored: StoredHostState = {
  serverId: 'a',
  status: 'PENDING',
  dispatchId: null,
  journaled: null,
  runsForMs: 0,
  intentAt: null,
  attempts: 0,
  attemptsBefore: 0,
  retry: null,
  output: {
    stored: { bytes: { stdout: 0, stderr: 0 }, openLine: { stdout: 0, stderr: 0 } },
    before: { stdout: 0, stderr: 0 },
  } as unknown as StoredHostState['output'],
};

function contextOf(changes: HostChange[], more: Partial<Record<keyof StepContext, object>>): StepContext {
  return {
    stepIndex: 0,
    runContext: { redactor: createRedactor([]), dispatchIds: new DispatchIds(createSecretKey(Buffer.alloc(32)), 'e') },
    writer: {
      addChange: (change: HostChange) => Promise.resolve(void changes.push(change)),
      addOutput: () => undefined,
      removeOutput: () => undefined,
      scheduleStore: () => undefined,
    },
    lease: {
      ref: { tenantId: 't', executionId: 'e' },
      lost: new AbortController().signal,
      requireValid: () => Promise.resolve(),
    },
    slots: { takeSlot: () => Promise.resolve(() => undefined) },
    control: new StepControl(),
    clearance: { mayBegin: () => Promise.resolve(true) },
    journal: null,
    isNeededLater: () => true,
    recoveryMs: 1000,
    outputLimits: { headBytes: 1000, tailBytes: 1000 },
    ...more,
  } as unknown as StepContext;
}
const commandsOf = (planStep: CommandStep, script: () => Promise<unknown>) => ({
  step: planStep,
  isConditionTrue: () => true,
  checkCommand: () => Promise.resolve(),
  forgetHost: () => undefined,
  createMark: () => null,
  renderScript: script,
});
const connectionsTo = (exec: () => Promise<unknown>, lacking = new Set<unknown>(), connection = { exec }) => ({
  hasConnection: () => false,
  getConnection: () => Promise.resolve(connection),
  dropConnection: () => undefined,
  takeForgettableEntries: () => ({ forget: [], remove: [] }),
  recordRefusal: () => undefined,
  recordMissingJournal: (of: unknown) => void lacking.add(of),
  lacksJournal: (of: unknown) => lacking.has(of),
  scheduleForgetting: () => undefined,
});

describe('a command that can be rendered when it is checked, but not when it is sent', () => {
  it('fails on its host, sends nothing, and does not fail the run', async () => {
    const changes: HostChange[] = [];
    let sent = 0;
    const rejectTooMuch = () =>
      Promise.reject(new CommandTemplateError('too_much', 'The template takes too much time.'));
    const one = contextOf(changes, {
      commands: commandsOf(step, rejectTooMuch),
      connections: connectionsTo(() => Promise.resolve((sent += 1))),
    });
    await new HostTask(one, host, stored).run();
    expect(changes.map(({ kind }) => kind)).toEqual(['connecting', 'finished']);
    expect(changes[1]).toMatchObject({ outcome: { status: 'FAILED', code: 'cannot_render' } });
    expect(sent).toBe(0);
  });
});

describe('a lost command that may be restarted automatically', () => {
  it.each([
    ['is started again', true, 4],
    ['is not started again when the run may no longer go on: its result stays unknown', false, 1],
  ])('%s', async (_, isCleared, starts) => {
    const changes: HostChange[] = [];
    let sent = 0;
    const lost = () => {
      sent += 1;
      return Promise.resolve({
        journaled: false,
        started: Promise.resolve(true),
        result: Promise.resolve({ kind: 'lost', started: true, journaled: false, message: 'The cable was pulled.' }),
      });
    };
    const one = contextOf(changes, {
      commands: commandsOf({ ...step, idempotent: true }, () => Promise.resolve('true')),
      connections: connectionsTo(lost),
      clearance: { mayBegin: () => Promise.resolve(isCleared) },
    });
    await new HostTask(one, host, stored).run();
    expect(changes.at(-1)).toMatchObject({ kind: 'finished', outcome: { status: 'UNKNOWN' } });
    expect(sent).toBe(starts);
  });
});

describe('a host that waited for its next attempt when its worker was lost', () => {
  const retry = { outcome: { status: 'FAILED', exitCode: 7, signal: null, code: 'exit_code', message: null } } as const;
  const run = async (inMs: number, stop: boolean) => {
    const changes: HostChange[] = [];
    const control = new StepControl();
    let sent = 0;
    const succeeded = () => {
      sent += 1;
      return Promise.resolve({
        started: Promise.resolve(true),
        result: Promise.resolve({ kind: 'exited', exitCode: 0 }),
      });
    };
    const one = contextOf(changes, {
      control,
      commands: commandsOf({ ...step, retries }, () => Promise.resolve('true')),
      connections: connectionsTo(succeeded),
    });
    const running = new HostTask(one, host, { ...stored, attempts: 1, retry: { ...retry, inMs } }).run();
    if (stop) control.stop('cancel');
    await running;
    return { sent, last: changes.at(-1) };
  };
  const retries = { count: 1, delaySeconds: 600, backoff: 'constant' as const };

  it('begins the attempt when it is due', async () => {
    expect(await run(0, false)).toMatchObject({ sent: 1, last: { outcome: { status: 'SUCCEEDED' } } });
  });

  it('begins none when the run is stopped while it waits, and keeps the last outcome', async () => {
    expect(await run(600_000, true)).toMatchObject({ sent: 0, last: { kind: 'finished', outcome: retry.outcome } });
  });
});

describe('a command without a journal that an existing connection refused', () => {
  const expectStartsOver = async (refusal: object) => {
    const changes: HostChange[] = [];
    let sent = 0;
    let warm = true;
    const one = contextOf(changes, {
      commands: commandsOf(step, () => Promise.resolve('true')),
      connections: {
        ...connectionsTo(() => {
          sent += 1;
          const result = warm ? { kind: 'refused', ...refusal } : { kind: 'exited', exitCode: 0 };
          return Promise.resolve({ started: Promise.resolve(!warm), result: Promise.resolve(result) });
        }),
        hasConnection: () => warm,
        dropConnection: () => void (warm = false),
      },
    });
    await new HostTask(one, host, stored).run();
    return { sent, end: changes.at(-1) };
  };

  it('is sent over a new connection if nothing of it was sent', async () => {
    const { sent, end } = await expectStartsOver({ unsent: true, message: 'The connection was lost before.' });
    expect(sent).toBe(2);
    expect(end).toMatchObject({ kind: 'finished', outcome: { status: 'SUCCEEDED' } });
  });

  it('is not sent twice if the host has answered: it may have run', async () => {
    const { sent, end } = await expectStartsOver({
      message: 'The host gave a reason that is not known.',
    });
    expect(sent).toBe(1);
    expect(end).toMatchObject({ kind: 'finished', outcome: { status: 'FAILED', code: 'exec_refused' } });
  });
});

describe('a command on a host that can keep no journal', () => {
  it('starts after that is stored, so that the journal is not expected to know it', async () => {
    const changes: HostChange[] = [];
    const asked: unknown[] = [];
    const exec = async (request?: { journal?: { orRefuse?: boolean }; beforeSend?: () => Promise<boolean> }) => {
      asked.push(request?.journal);
      await request?.beforeSend?.();
      const result = request?.journal
        ? { kind: 'refused', code: 'cannot_journal', message: 'No home.' }
        : { kind: 'exited', exitCode: 0 };
      return { started: Promise.resolve(true), result: Promise.resolve(result) };
    };
    const one = contextOf(changes, {
      commands: commandsOf(step, () => Promise.resolve('true')),
      connections: connectionsTo(exec),
      journal: { toJournalEntry: (_index: number, _host: string, dispatchId: string) => ({ dispatchId }) },
    });
    await new HostTask({ ...one, keepsJournal: true }, host, stored).run();
    const intents = changes.filter((change) => change.kind === 'dispatch');
    expect(intents).toMatchObject([
      { attempt: 1, journaled: true },
      { attempt: 1, journaled: false },
    ]);
    expect(asked).toEqual([{ dispatchId: intents[0]?.dispatchId, orRefuse: true }, undefined]);
    expect(changes.at(-1)).toMatchObject({ kind: 'finished', outcome: { status: 'SUCCEEDED' } });
  });
});

describe('a command whose journal the host could not write', () => {
  const startOn = async (probed: string) => {
    const changes: HostChange[] = [];
    const exec = async (request?: {
      script: string;
      journal?: object;
      beforeSend?: () => Promise<boolean>;
      onStarted?: () => void;
      onOutput?: (stream: 'stdout', bytes: Buffer) => void;
    }) => {
      await request?.beforeSend?.();
      if (request?.script === JOURNAL_CHECK_SCRIPT) {
        request.onStarted?.();
        request.onOutput?.('stdout', Buffer.from(`${probed}looked\n`));
      }
      const result = request?.journal
        ? { kind: 'refused', code: 'no_journal', message: 'The host could not write the journal.' }
        : { kind: 'exited', exitCode: 0 };
      return { started: Promise.resolve(true), result: Promise.resolve(result) };
    };
    const one = contextOf(changes, {
      commands: commandsOf(step, () => Promise.resolve('true')),
      connections: connectionsTo(exec),
      journal: { toJournalEntry: (_index: number, _host: string, dispatchId: string) => ({ dispatchId }) },
    });
    await new HostTask({ ...one, keepsJournal: true }, host, stored).run();
    return { intents: changes.filter((change) => change.kind === 'dispatch'), end: changes.at(-1) };
  };

  it('starts without a journal, under a new id and in the same attempt, if the disk is full', async () => {
    const { intents, end } = await startOn('full\n');
    expect(intents).toMatchObject([
      { attempt: 1, journaled: true, homeFull: false },
      { attempt: 1, journaled: false, homeFull: true },
    ]);
    expect(new Set(intents.map(({ dispatchId }) => dispatchId)).size).toBe(2);
    const message = expect.stringContaining('ran without a journal');
    expect(end).toMatchObject({ kind: 'finished', outcome: { status: 'SUCCEEDED', message } });
  });

  it.each([
    ['another cause', 'unwritten\n'],
    ['no cause that is still there', ''],
  ])('stays refused for %s', async (_cause, probed) => {
    const { intents, end } = await startOn(probed);
    expect(intents).toHaveLength(1);
    expect(end).toMatchObject({ kind: 'finished', outcome: { status: 'FAILED', code: 'exec_refused' } });
  });
});
