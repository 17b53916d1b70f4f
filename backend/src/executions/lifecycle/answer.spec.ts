import { describe, expect, it } from '@jest/globals';
import { pendingRun, runningRun, step } from '../../../test/support/run-states.js';
import { decideNextState } from './decide.js';
import type { RunState } from './run-state.js';
import { DECISION_ACTIONS, type DecisionAction, PAUSE_ACTIONS, PAUSE_REASONS, type PauseReason } from './statuses.js';

const claim = (state: RunState) => decideNextState(state, { type: 'claimed' });
const decided = (
  state: RunState,
  action: DecisionAction,
  serverIds: string[] | null = null,
  comment: string | null = null,
) => decideNextState(state, { type: 'decided', action, serverIds, by: 'Ada', comment });
/** Decision of a worker that claims the run after the answer. */
const then = (...answer: Parameters<typeof decided>) => claim({ ...decided(...answer).state, reopened: null });

const before = (reason: PauseReason): RunState => {
  const [first, ...rest] = pendingRun().steps;
  const status = reason === 'REQUESTED' ? ('PENDING' as const) : ('PAUSED' as const);
  const policy = { gate: reason === 'GATE' };
  return pendingRun({
    status: 'PAUSED',
    mode: reason === 'STEP_CONFIRM' ? 'interactive' : 'auto',
    pause: { reason, index: 0, text: null },
    steps: [step(first?.key ?? '', ['a', 'b'], { status, policy }), ...rest],
  });
};

function failed(...shown: Parameters<typeof runningRun>): RunState {
  const state = runningRun(shown[0], 'PAUSED');
  return {
    ...state,
    mode: 'semi_assisted',
    pause: { reason: 'FAILURE_DECISION', index: 0, text: null },
    steps: state.steps.map((each, index) => (index === 0 ? { ...each, status: 'PAUSED' } : each)),
  };
}
const FAILED = { a: 'FAILED*', b: 'SUCCEEDED*' } as const;

describe('an answer that is not one of the choices', () => {
  const cases = PAUSE_REASONS.flatMap((reason) =>
    DECISION_ACTIONS.filter((action) => !PAUSE_ACTIONS[reason].includes(action)).map(
      (action) => [reason, action] as const,
    ),
  );
  it.each(cases)('changes nothing: at %s, %s', (reason, action) => {
    const state = reason === 'FAILURE_DECISION' ? failed(FAILED) : before(reason);
    expect(decided(state, action)).toEqual({ state, effects: [] });
  });
});

describe('proceed', () => {
  it.each(['STEP_CONFIRM', 'REQUESTED'] as const)('starts the step after %s, without asking again', (reason) => {
    const { state, effects } = decided(before(reason), 'proceed');
    expect(state).toMatchObject({ status: 'RUNNING', pause: null });
    expect(state.steps[0]).toMatchObject({ status: 'PENDING', confirmed: true });
    expect(effects).toEqual([{ type: 'enqueue' }]);
    expect(claim(state).effects).toEqual([{ type: 'run_step', index: 0, hosts: ['a', 'b'], stopping: false }]);
  });

  it('opens a gate, and the next step follows', () => {
    const { state, effects } = then(before('GATE'), 'proceed');
    expect(state.steps[0]?.status).toBe('SUCCEEDED');
    expect(effects).toMatchObject([{ type: 'run_step', index: 1 }]);
  });

  it('pauses before the next step again in an interactive run', () => {
    const { state } = then(before('STEP_CONFIRM'), 'proceed');
    const hosts = {
      a: { status: 'SUCCEEDED', dispatched: true },
      b: { status: 'SUCCEEDED', dispatched: true },
    } as const;
    const next = decideNextState({ ...state, open: [{ index: 0, hosts }] }, { type: 'step_finished' }).state;
    expect(next).toMatchObject({ status: 'PAUSED', pause: { reason: 'STEP_CONFIRM', index: 1 } });
  });
});

describe('skip', () => {
  it('before a step skips it, with actor and reason', () => {
    const { state, effects } = then({ ...before('STEP_CONFIRM'), mode: 'semi_assisted' }, 'skip', null, 'done by hand');
    expect(state.steps[0]).toMatchObject({
      status: 'SKIPPED',
      reason: { code: 'skipped_by_person', text: 'Ada skipped this step: done by hand' },
    });
    expect(effects).toMatchObject([{ type: 'run_step', index: 1, hosts: ['a', 'b'] }]);
  });

  it('after a failure continues with all hosts except those with an unknown result', () => {
    const { state, effects } = then(failed({ a: 'FAILED*', b: 'UNKNOWN*' }), 'skip');
    expect(state.steps[0]).toMatchObject({
      status: 'PARTIALLY_SUCCEEDED',
      reason: { code: 'failures_accepted', text: 'Ada continued despite the failures.' },
    });
    expect(state.hosts).toEqual({ a: 'PENDING', b: 'UNKNOWN' });
    expect(effects).toMatchObject([{ type: 'run_step', index: 1, hosts: ['a'] }]);
  });

  it('leaves the run PARTIALLY_SUCCEEDED when all further steps succeed', () => {
    const { state } = then(failed(FAILED), 'skip');
    const hosts = {
      a: { status: 'SUCCEEDED', dispatched: true },
      b: { status: 'SUCCEEDED', dispatched: true },
    } as const;
    const end = decideNextState({ ...state, open: [{ index: 1, hosts }] }, { type: 'step_finished' }).state;
    expect(end).toMatchObject({ status: 'PARTIALLY_SUCCEEDED', reason: { code: 'some_hosts_failed' } });
  });
});

describe('retry', () => {
  it('runs the step again on all of its hosts, but not where a command may still be running', () => {
    const { state } = decided(failed({ a: 'FAILED*', b: 'SUCCEEDED*', c: 'UNKNOWN*' }), 'retry');
    expect(state).toMatchObject({ status: 'RUNNING', reopened: { index: 0, hosts: ['a', 'b'] } });
    expect(state.open[0]?.hosts).toMatchObject({
      a: { status: 'PENDING', dispatched: false },
      b: { status: 'PENDING', dispatched: false },
      c: { status: 'UNKNOWN' },
    });
    expect(claim(state).effects).toMatchObject([{ type: 'run_step', hosts: ['a', 'b'] }]);
  });

  it('runs it on exactly the named hosts, including a lost one', () => {
    const { state } = decided(failed({ a: 'FAILED*', b: 'SUCCEEDED*', c: 'UNKNOWN*' }), 'retry', ['b', 'c', 'nobody']);
    expect(state.reopened?.hosts).toEqual(['b', 'c']);
  });
});

describe('retry_failed', () => {
  it('runs the step again where it failed, and not where a command may still be running', () => {
    const { state } = decided(
      failed({ a: 'FAILED*', b: 'SUCCEEDED*', c: 'UNKNOWN*', d: 'UNREACHABLE' }),
      'retry_failed',
    );
    expect(state.reopened?.hosts).toEqual(['a', 'd']);
    expect(claim(state).effects).toMatchObject([{ type: 'run_step', hosts: ['a', 'd'] }]);
  });

  it('runs it on the named ones of the failed hosts', () => {
    const state = failed({ a: 'FAILED*', b: 'SUCCEEDED*', c: 'UNKNOWN*' });
    expect(decided(state, 'retry_failed', ['b', 'c']).state.reopened?.hosts).toEqual(['c']);
  });

  it('pauses again when it fails again, and not when it succeeds', () => {
    const { state } = then(failed(FAILED), 'retry_failed');
    const ended = (status: 'FAILED' | 'SUCCEEDED') =>
      decideNextState(
        {
          ...state,
          open: [
            { index: 0, hosts: { a: { status, dispatched: true }, b: { status: 'SUCCEEDED', dispatched: true } } },
          ],
        },
        { type: 'step_finished' },
      );
    expect(ended('FAILED').state).toMatchObject({ status: 'PAUSED', pause: { reason: 'FAILURE_DECISION' } });
    expect(ended('SUCCEEDED').effects).toMatchObject([{ type: 'run_step', index: 1, hosts: ['a', 'b'] }]);
  });

  it('does not return a host to the run that is only cleaned up', () => {
    const state = { ...failed(FAILED), hosts: { a: 'FAILED' as const, b: 'PENDING' as const } };
    expect(decided(state, 'retry_failed').state.hosts).toEqual({ a: 'FAILED', b: 'PENDING' });
  });
});

describe('exclude_hosts', () => {
  it('continues without the hosts that failed', () => {
    const { state, effects } = then(failed(FAILED), 'exclude_hosts');
    expect(state.steps[0]?.status).toBe('PARTIALLY_SUCCEEDED');
    expect(state.hosts).toEqual({ a: 'FAILED', b: 'PENDING' });
    expect(effects).toMatchObject([{ type: 'run_step', index: 1, hosts: ['b'] }]);
  });

  it('continues without further named hosts', () => {
    const { state } = decided(failed({ a: 'FAILED*', b: 'SUCCEEDED*', c: 'SUCCEEDED*' }), 'exclude_hosts', [
      'c',
      'nobody',
    ]);
    expect(state.hosts).toEqual({ a: 'FAILED', b: 'PENDING', c: 'SKIPPED' });
  });

  it('does not turn a run into a success that has no host left', () => {
    const { state } = then(failed({ a: 'FAILED*', b: 'UNREACHABLE' }), 'exclude_hosts');
    expect(state).toMatchObject({ status: 'FAILED', hosts: { a: 'FAILED', b: 'UNREACHABLE' } });
  });
});

describe('abort', () => {
  it.each(['STEP_CONFIRM', 'GATE', 'REQUESTED'] as const)(
    'at %s ends the run as CANCELLED, with actor and reason',
    (reason) => {
      const { state, effects } = decided(before(reason), 'abort', null, 'wrong night');
      expect(state).toMatchObject({ status: 'CANCELLING', pause: null });
      expect(state.reason).toEqual({ code: 'aborted', text: 'Aborted by Ada: wrong night' });
      expect(effects).toEqual([{ type: 'enqueue' }]);
      expect(claim(state).state).toMatchObject({ status: 'CANCELLED', reason: { code: 'aborted' } });
    },
  );

  it('after a failure keeps what was observed of each host', () => {
    const { state } = then(failed({ a: 'FAILED*', b: 'UNKNOWN*' }), 'abort');
    expect(state).toMatchObject({ status: 'CANCELLED', hosts: { a: 'FAILED', b: 'UNKNOWN' } });
  });
});

describe('a pause without an answer in time', () => {
  it.each(['STEP_CONFIRM', 'GATE', 'REQUESTED'] as const)('ends the run as EXPIRED: %s', (reason) => {
    const { state, effects } = decideNextState(before(reason), { type: 'pause_expired' });
    expect(state).toMatchObject({ status: 'EXPIRED', pause: null, reason: { code: 'decision_expired' } });
    expect(state.steps.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(effects).toEqual([{ type: 'finish' }]);
  });

  it('after a failure keeps what was observed of each host', () => {
    const { state } = decideNextState(failed(FAILED), { type: 'pause_expired' });
    expect(state).toMatchObject({ status: 'EXPIRED', hosts: { a: 'FAILED' }, settled: [] });
  });

  it('never counts as consent: without an approval the run ends before any step', () => {
    const waits = pendingRun({ status: 'PAUSED', pause: { reason: 'APPROVAL', index: null, text: null } });
    const { state } = decideNextState(waits, { type: 'pause_expired' });
    expect(state).toMatchObject({ status: 'EXPIRED', reason: { code: 'approval_expired' } });
    expect(Object.values(state.hosts)).toEqual(['CANCELLED', 'CANCELLED']);
  });
});

describe('an approval', () => {
  const waits = pendingRun({ status: 'PAUSED', pause: { reason: 'APPROVAL', index: null, text: null } });

  it('makes the run wait for a worker', () => {
    const { state, effects } = decideNextState(waits, { type: 'approved', by: 'Bob' });
    expect(state).toEqual(pendingRun());
    expect(effects).toEqual([{ type: 'enqueue' }]);
  });

  it('that is rejected ends the run with actor and reason', () => {
    const { state, effects } = decideNextState(waits, {
      type: 'rejected',
      by: 'Bob',
      comment: 'not before the backup',
    });
    expect(state).toMatchObject({
      status: 'REJECTED',
      reason: { code: 'rejected', text: 'Rejected by Bob: not before the backup' },
      hosts: { a: 'CANCELLED', b: 'CANCELLED' },
    });
    expect(effects).toEqual([{ type: 'finish' }]);
  });

  it('is not given by changing the mode', () => {
    const { state, effects } = decideNextState(
      { ...waits, mode: 'interactive' },
      { type: 'mode_changed', mode: 'auto' },
    );
    expect(state).toEqual({ ...waits, mode: 'auto' });
    expect(effects).toEqual([]);
  });
});
