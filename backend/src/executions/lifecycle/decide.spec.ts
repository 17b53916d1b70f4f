import { describe, expect, it } from '@jest/globals';
import { pendingRun, runningRun, step } from '../../../test/support/run-states.js';
import { decideNextState } from './decide.js';
import type { RunState } from './run-state.js';
import { EXECUTION_STATUSES, isFinished, PAUSE_REASONS, type PauseReason } from './statuses.js';

const claim = (state: RunState) => decideNextState(state, { type: 'claimed' });
const finishStep = (state: RunState) => decideNextState(state, { type: 'step_finished' });
const cancel = (state: RunState, reason: string | null = null) =>
  decideNextState(state, { type: 'cancel_requested', by: 'Ada', reason });
const steps = (state: RunState) => state.steps.map(({ status }) => status);

describe('a worker that claims a waiting run', () => {
  it('runs the first step on its hosts', () => {
    const { state, effects } = claim(pendingRun());
    expect(state).toMatchObject({
      status: 'RUNNING',
      open: [{ index: 0, hosts: { a: { status: 'PENDING', dispatched: false } } }],
    });
    expect(steps(state)).toEqual(['RUNNING', 'PENDING']);
    expect(effects).toEqual([{ type: 'run_step', index: 0, hosts: ['a', 'b'], stopping: false }]);
  });

  it('skips a step whose selector matches no host, and says so', () => {
    const { state, effects } = claim(pendingRun({ steps: [step('one', []), step('two', ['b'])] }));
    expect(state.steps[0]).toMatchObject({
      status: 'SKIPPED',
      reason: { code: 'no_targets', text: 'No host of the run matches the targets of this step.' },
    });
    expect(effects).toEqual([{ type: 'run_step', index: 1, hosts: ['b'], stopping: false }]);
  });

  it('ends a run without a host in any step', () => {
    const { state, effects } = claim(pendingRun({ steps: [step('one', []), step('two', [])] }));
    expect(state).toMatchObject({ status: 'SUCCEEDED', open: [], hosts: { a: 'SKIPPED', b: 'SKIPPED' } });
    expect(steps(state)).toEqual(['SKIPPED', 'SKIPPED']);
    expect(effects).toEqual([{ type: 'finish' }]);
  });
});

describe('a worker that takes a run over', () => {
  it('continues with hosts that nothing was sent to, and leaves finished ones alone', () => {
    const { state, effects } = claim(runningRun({ a: 'SUCCEEDED*', b: 'CONNECTING' }));
    expect(effects).toEqual([{ type: 'run_step', index: 0, hosts: ['b'], stopping: false }]);
    expect(state.open[0]?.hosts).toEqual({
      a: { status: 'SUCCEEDED', dispatched: true },
      b: { status: 'CONNECTING', dispatched: false },
    });
    expect(state.settled).toEqual([]);
  });

  it('asks hosts whose command may have been started, and settles none of them itself', () => {
    const before = runningRun({ a: 'RUNNING*', b: 'CONNECTING*', c: 'PENDING' });
    const { state, effects } = claim(before);
    expect(effects).toEqual([{ type: 'run_step', index: 0, hosts: ['a', 'b', 'c'], stopping: false }]);
    expect(state.open).toEqual(before.open);
    expect(state.settled).toEqual([]);
  });

  it('ends the run INTERRUPTED when a host could not be asked, with advice', () => {
    const { state, effects } = finishStep(runningRun({ a: 'UNKNOWN*', b: 'SUCCEEDED*' }));
    expect(state).toMatchObject({ status: 'INTERRUPTED', reason: { code: 'hosts_lost' }, hosts: { a: 'UNKNOWN' } });
    expect(state.reason?.text).toBe(
      '1 with an unknown result of 2 hosts in step "one". Check the hosts with an unknown result and resolve it. Until then nothing else runs there.',
    );
    expect(steps(state)).toEqual(['FAILED', 'SKIPPED']);
    expect(effects).toEqual([{ type: 'finish' }]);
  });

  it('continues with the next step when all hosts had finished', () => {
    const { state, effects } = claim(runningRun({ a: 'SUCCEEDED*', b: 'SUCCEEDED*' }));
    expect(steps(state)).toEqual(['SUCCEEDED', 'RUNNING']);
    expect(effects).toEqual([{ type: 'run_step', index: 1, hosts: ['a', 'b'], stopping: false }]);
  });

  it('stops commands again that a cancelled run may have left behind, and begins nothing', () => {
    const { state, effects } = claim(runningRun({ a: 'RUNNING*', b: 'PENDING', c: 'SUCCEEDED*' }, 'CANCELLING'));
    expect(effects).toEqual([{ type: 'run_step', index: 0, hosts: ['a'], stopping: true }]);
    // A slice may be about to store an intent for b. So b gets its result only after all commands have ended.
    expect(state).toMatchObject({ status: 'CANCELLING', settled: [], open: [{ hosts: { b: { status: 'PENDING' } } }] });
    expect(decideNextState(state, { type: 'commands_stopped' }).state).toMatchObject({
      status: 'CANCELLED',
      settled: [{ index: 0, hosts: { a: 'UNKNOWN', b: 'CANCELLED' } }],
    });
  });

  it('ends a cancelled run immediately when it left nothing behind', () => {
    for (const shown of [
      { a: 'SUCCEEDED*', b: 'PENDING' },
      { a: 'CONNECTING', b: 'CANCELLED' },
    ] as const) {
      const { state, effects } = claim(runningRun(shown, 'CANCELLING'));
      expect(state).toMatchObject({ status: 'CANCELLED', hosts: { b: 'CANCELLED' } });
      expect(effects).toEqual([{ type: 'finish' }]);
    }
    expect(claim(pendingRun({ status: 'CANCELLING' })).state.status).toBe('CANCELLED');
  });
});

describe('the end of a step', () => {
  it('begins the next step on its hosts', () => {
    const { state, effects } = finishStep(runningRun({ a: 'SUCCEEDED*', b: 'SUCCEEDED*' }));
    expect(steps(state)).toEqual(['SUCCEEDED', 'RUNNING']);
    expect(effects).toEqual([{ type: 'run_step', index: 1, hosts: ['a', 'b'], stopping: false }]);
  });

  it('ends the run SUCCEEDED after the last step', () => {
    const last = runningRun({ a: 'SUCCEEDED*', b: 'SUCCEEDED*' });
    const { state } = finishStep({ ...last, steps: last.steps.slice(0, 1) });
    expect(state).toMatchObject({ status: 'SUCCEEDED', reason: null, hosts: { a: 'SUCCEEDED', b: 'SUCCEEDED' } });
  });

  it.each(['FAILED', 'UNREACHABLE', 'HOST_KEY_CHANGED', 'TIMED_OUT'] as const)(
    'stops the run when a host is %s, and gives the reason for skipped steps',
    (status) => {
      const { state, effects } = finishStep(runningRun({ a: 'SUCCEEDED*', b: `${status}*` }));
      expect(state).toMatchObject({ status: 'FAILED', reason: { code: 'hosts_failed' }, hosts: { b: status } });
      expect(state.steps[1]).toMatchObject({
        status: 'SKIPPED',
        reason: { code: 'earlier_step_failed', text: 'Step "one" failed.' },
      });
      expect(effects).toEqual([{ type: 'finish' }]);
    },
  );

  it('counts failed, timed out and unreachable hosts separately in its reason', () => {
    const hosts = { a: 'FAILED*', b: 'UNREACHABLE', c: 'TIMED_OUT*', d: 'SUCCEEDED*', e: 'HOST_KEY_CHANGED' } as const;
    const state = {
      ...runningRun(hosts),
      hosts: Object.fromEntries(Object.keys(hosts).map((id) => [id, 'PENDING' as const])),
    };
    expect(finishStep(state).state.reason?.text).toBe(
      '1 failed, 1 timed out, 1 unreachable, 1 with a changed host key of 5 hosts in step "one".',
    );
  });

  it('counts no host as successful without a result: a repeated event continues with the step that has begun', () => {
    const once = finishStep(runningRun({ a: 'SUCCEEDED*', b: 'SUCCEEDED*' }));
    const twice = finishStep(once.state);
    expect(twice.state.status).toBe('RUNNING');
    expect(steps(twice.state)).toEqual(['SUCCEEDED', 'RUNNING']);
    expect(twice.effects).toEqual(once.effects);
  });

  it('ends a run that is being cancelled', () => {
    const before = runningRun({ a: 'SUCCEEDED*', b: 'CANCELLED*' }, 'CANCELLING');
    const { state } = finishStep({ ...before, reason: { code: 'cancelled', text: 'Cancelled by Ada.' } });
    expect(state).toMatchObject({ status: 'CANCELLED', reason: { text: 'Cancelled by Ada.' }, settled: [] });
    expect(steps(state)).toEqual(['CANCELLED', 'CANCELLED']);
  });
});

describe('a request to cancel', () => {
  it('ends a waiting run immediately, with actor and reason', () => {
    const { state, effects } = cancel(pendingRun(), 'wrong release');
    expect(state).toMatchObject({ status: 'CANCELLED', hosts: { a: 'CANCELLED', b: 'CANCELLED' } });
    expect(state.reason).toEqual({ code: 'cancelled', text: 'Cancelled by Ada: wrong release' });
    expect(state.steps[0]).toMatchObject({
      status: 'CANCELLED',
      reason: { code: 'run_ended', text: 'The run ended before this step.' },
    });
    expect(effects).toEqual([{ type: 'finish' }]);
  });

  it('stops the commands of a running one, and leaves its step and hosts unchanged', () => {
    const before = runningRun({ a: 'RUNNING*', b: 'SUCCEEDED*' });
    const { state, effects } = cancel(before);
    expect(state).toEqual({
      ...before,
      status: 'CANCELLING',
      reason: { code: 'cancelled', text: 'Cancelled by Ada.' },
    });
    expect(effects).toEqual([{ type: 'stop_commands' }]);
  });

  it('stops the commands of a cancelled run again, and keeps the first reason', () => {
    const first = cancel(runningRun({ a: 'RUNNING*', b: 'PENDING' }), 'first').state;
    expect(cancel(first, 'second')).toEqual({ state: first, effects: [{ type: 'stop_commands' }] });
  });
});

describe('a request to cancel a run that waits for a person', () => {
  const waiting = (reason: PauseReason, changes: Partial<RunState> = {}) =>
    pendingRun({
      status: 'PAUSED',
      pause: { reason, index: reason === 'APPROVAL' ? null : 0, text: null },
      ...changes,
    });

  it.each(PAUSE_REASONS)('ends it immediately where nothing runs: %s', (reason) => {
    for (const begun of [false, true]) {
      const { steps: all } = pendingRun();
      const after = [{ ...step('zero', ['a', 'b']), status: 'SUCCEEDED' as const }, ...all];
      const { state, effects } = cancel(waiting(reason, begun ? { steps: after } : {}));
      expect(state).toMatchObject({ status: 'CANCELLED', pause: null, reason: { code: 'cancelled' } });
      expect(effects).toEqual([{ type: 'finish' }]);
    }
  });

  it('keeps in a failed step what was observed of its hosts', () => {
    const before = runningRun({ a: 'FAILED*', b: 'UNKNOWN*' }, 'PAUSED');
    const asked = cancel({ ...before, pause: { reason: 'FAILURE_DECISION', index: 0, text: null } });
    expect(asked.state).toMatchObject({ status: 'CANCELLING', pause: null });
    expect(claim(asked.state).state).toMatchObject({ status: 'CANCELLED', hosts: { a: 'FAILED', b: 'UNKNOWN' } });
  });

  it('changes nothing of a finished run', () => {
    for (const status of EXECUTION_STATUSES.filter(isFinished)) {
      const before = pendingRun({ status });
      expect(cancel(before)).toEqual({ state: before, effects: [{ type: 'finish' }] });
    }
  });
});

describe('the end of the commands of a cancelled run', () => {
  it('keeps what was observed and marks the rest: stopped before it began, or unknown', () => {
    const before = { ...runningRun({ a: 'SUCCEEDED*', b: 'RUNNING*' }, 'CANCELLING') };
    const { state } = decideNextState(before, { type: 'commands_stopped' });
    expect(state).toMatchObject({
      status: 'CANCELLED',
      settled: [{ index: 0, hosts: { b: 'UNKNOWN' } }],
      hosts: { b: 'UNKNOWN' },
    });
  });
});

describe("the run's own deadline", () => {
  it('cuts nothing off when the last command had just succeeded', () => {
    const { steps, ...before } = runningRun({ a: 'SUCCEEDED*', b: 'SUCCEEDED*' });
    const last = { ...before, steps: steps.slice(0, 1) };
    expect(decideNextState(last, { type: 'deadline_passed' }).state.status).toBe('SUCCEEDED');
  });

  it('ends it TIMED_OUT; steps that had not begun time out too', () => {
    const { state } = decideNextState(runningRun({ a: 'TIMED_OUT*', b: 'PENDING' }), { type: 'deadline_passed' });
    expect(state).toMatchObject({
      status: 'TIMED_OUT',
      reason: { code: 'run_timed_out' },
      hosts: { a: 'TIMED_OUT', b: 'TIMED_OUT' },
    });
    expect(steps(state)).toEqual(['FAILED', 'CANCELLED']);
  });

  it('cuts nothing off when the last command had succeeded by then', () => {
    const last = [step('one', ['a', 'b'], { status: 'RUNNING' })];
    const before = { ...runningRun({ a: 'SUCCEEDED*', b: 'SUCCEEDED*' }), steps: last };
    const { state, effects } = decideNextState(before, { type: 'deadline_passed' });
    expect(state).toMatchObject({ status: 'SUCCEEDED', hosts: { a: 'SUCCEEDED', b: 'SUCCEEDED' } });
    expect(effects).toEqual([{ type: 'finish' }]);
  });

  it.each([
    ['PARTIALLY_SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED'],
    ['FAILED', 'FAILED', 'FAILED'],
    ['INTERRUPTED', 'PARTIALLY_SUCCEEDED', 'UNKNOWN'],
  ] as const)('then leaves the run %s where the previous step was so', (status, before, overall) => {
    const steps = [
      step('one', ['a', 'b'], { status: before }),
      step('clean', ['a'], { status: 'RUNNING', policy: { always: true } }),
    ];
    const run = runningRun({ a: 'SUCCEEDED*' });
    const open = [{ index: 1, hosts: { a: { status: 'SUCCEEDED', dispatched: true } } }] as const;
    const last = { ...run, steps, open, hosts: { a: 'PENDING', b: overall } } as const;
    expect(decideNextState(last, { type: 'deadline_passed' }).state.status).toBe(status);
  });

  it('is a cancellation when the run was being cancelled already', () => {
    const before = runningRun({ a: 'TIMED_OUT*', b: 'PENDING' }, 'CANCELLING');
    expect(decideNextState(before, { type: 'deadline_passed' }).state.status).toBe('CANCELLED');
  });
});

describe('a fault of the engine', () => {
  const fail = (state: RunState) => decideNextState(state, { type: 'engine_failed' }).state;

  it('fails a run of which every result is known', () => {
    const state = fail(runningRun({ a: 'SUCCEEDED*', b: 'PENDING' }));
    expect(state).toMatchObject({ status: 'FAILED', reason: { code: 'engine_failed' }, hosts: { b: 'CANCELLED' } });
  });

  it('interrupts a run with an unknown result', () => {
    const state = fail(runningRun({ a: 'RUNNING*', b: 'PENDING' }));
    expect(state).toMatchObject({ status: 'INTERRUPTED', hosts: { a: 'UNKNOWN', b: 'CANCELLED' } });
  });

  it('fails a run that had not begun, and ends one that was being cancelled', () => {
    expect(fail(pendingRun()).status).toBe('FAILED');
    expect(fail(runningRun({ a: 'RUNNING*', b: 'PENDING' }, 'CANCELLING')).status).toBe('CANCELLED');
  });
});
