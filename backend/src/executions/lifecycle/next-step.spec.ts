import { describe, expect, it } from '@jest/globals';
import { pendingRun, runningRun, step } from '../../../test/support/run-states.js';
import { decideNextState } from './decide.js';
import type { RunEvent } from './run-event.js';
import type { RunClearance, RunState, StepPolicy, StepState } from './run-state.js';
import type { ExecutionMode, HostStatus, PauseReason } from './statuses.js';

const claim = (state: RunState) => decideNextState(state, { type: 'claimed' });
const ran = (key: string, status: StepState['status'], policy: Partial<StepPolicy> = {}) =>
  step(key, ['a', 'b'], { status, policy });
/** Returns the hosts that run the next step; null = it does not run. */
const hostsOf = (state: RunState) => claim(state).effects.find((effect) => effect.type === 'run_step')?.hosts ?? null;

const REVOKED: RunClearance = { kind: 'revoked', reason: { code: 'starter_not_allowed', text: 'Ada may not.' } };
const REAPPROVE: RunClearance = { kind: 'reapprove', reason: { code: 'secret_changed', text: 'It changed.' } };

describe('before a step', () => {
  const plain = {};
  const confirm = { confirm: true };
  const gate = { gate: true };
  const cases: [ExecutionMode, Partial<StepPolicy>, PauseReason | null][] = [
    ['auto', plain, null],
    ['auto', confirm, null],
    ['auto', gate, 'GATE'],
    ['semi_assisted', plain, null],
    ['semi_assisted', confirm, 'STEP_CONFIRM'],
    ['semi_assisted', gate, 'GATE'],
    ['interactive', plain, 'STEP_CONFIRM'],
    ['interactive', confirm, 'STEP_CONFIRM'],
    ['interactive', gate, 'GATE'],
    ['dry_run', plain, null],
    ['dry_run', confirm, null],
    ['dry_run', gate, null],
  ];

  it.each(cases)('a run in %s with a step %j waits for: %s', (mode, policy, reason) => {
    const { state, effects } = claim(
      pendingRun({ mode, steps: [step('one', ['a', 'b'], { policy }), step('two', ['a'])] }),
    );
    if (reason === null) {
      expect(state).toMatchObject({ status: 'RUNNING', pause: null });
      expect(effects).toMatchObject([{ type: 'run_step' }]);
    } else {
      expect(state).toMatchObject({ status: 'PAUSED', pause: { reason, index: 0 }, open: [] });
      expect(state.steps[0]?.status).toBe('PAUSED');
      expect(effects).toEqual([{ type: 'wait' }]);
    }
  });

  it.each(cases)('a run in %s with a step %j that a person confirmed does not pause again', (mode, policy) => {
    const begun = step('one', ['a', 'b'], { policy, confirmed: true });
    const { state } = claim(pendingRun({ mode, steps: [begun] }));
    expect(state.pause).toBeNull();
    expect(state.status).toBe(policy.gate ? 'SUCCEEDED' : 'RUNNING');
  });

  it('a dry run skips a gate, and says so', () => {
    const { state } = claim(pendingRun({ mode: 'dry_run', steps: [step('one', [], { policy: gate })] }));
    expect(state.steps[0]).toMatchObject({ status: 'SKIPPED', reason: { code: 'gate_in_dry_run' } });
  });

  it.each([{}, { always: true }, { onFailure: 'continue' }, { continuesOnFailure: true }] as Partial<StepPolicy>[])(
    'a placeholder blocks a dry run that continues with later steps, and stops any other run: %j',
    (policy) => {
      const steps = [
        step('one', [], { policy: { ...policy, gate: true, placeholder: true } }),
        step('two', ['a'], { policy }),
      ];
      const preview = claim(pendingRun({ mode: 'dry_run', maxFailPercent: 100, steps })).state;
      expect(preview).toMatchObject({ status: 'RUNNING', steps: [{ status: 'FAILED' }, { status: 'RUNNING' }] });
      const { state } = claim({
        ...preview,
        open: [],
        steps: [preview.steps[0]!, { ...steps[1]!, status: 'SUCCEEDED' }],
      });
      expect(state).toMatchObject({ status: 'FAILED', reason: { code: 'blocked' } });
      expect(state.reason?.text).toContain('Step "one"');
      for (const mode of ['auto', 'semi_assisted', 'interactive'] as const)
        for (const strategy of ['barrier', 'free'] as const)
          expect(claim(pendingRun({ mode, strategy, steps })).state.pause).toMatchObject({ reason: 'GATE' });
    },
  );

  it('a step without a host does not pause', () => {
    const { state } = claim(pendingRun({ mode: 'interactive', steps: [step('one', []), step('two', ['a'])] }));
    expect(state).toMatchObject({ status: 'PAUSED', pause: { reason: 'STEP_CONFIRM', index: 1 } });
  });
});

describe('a requested pause', () => {
  const asked = (changes: Partial<RunState> = {}) =>
    pendingRun({ pauseRequestedBy: { id: 'ada', name: 'Ada' }, ...changes });

  it('takes effect at the next step boundary, once', () => {
    const { state } = claim(asked());
    expect(state).toMatchObject({
      status: 'PAUSED',
      pause: { reason: 'REQUESTED', index: 0, text: 'Ada asked for a pause.' },
      pauseRequestedBy: null,
    });
    expect(state.steps[0]?.status).toBe('PENDING');
  });

  it('does not interrupt a running step', () => {
    const { state, effects } = claim({
      ...runningRun({ a: 'SUCCEEDED*', b: 'PENDING' }),
      pauseRequestedBy: { id: 'ada', name: 'Ada' },
    });
    expect(state).toMatchObject({ status: 'RUNNING', pauseRequestedBy: { id: 'ada', name: 'Ada' } });
    expect(effects).toMatchObject([{ type: 'run_step', hosts: ['b'] }]);
  });

  it.each([
    ['STEP_CONFIRM', 'interactive', {}],
    ['GATE', 'auto', { gate: true }],
  ] as const)('merges with the %s that occurs there anyway', (reason, mode, policy) => {
    const { state } = claim(asked({ mode, steps: [step('one', ['a'], { policy })] }));
    expect(state).toMatchObject({ status: 'PAUSED', pause: { reason }, pauseRequestedBy: null });
  });

  it('does not take effect when no step is left, nor in a dry run', () => {
    const last = { ...runningRun({ a: 'SUCCEEDED*', b: 'SUCCEEDED*' }), pauseRequestedBy: { id: 'ada', name: 'Ada' } };
    const { state } = decideNextState({ ...last, steps: last.steps.slice(0, 1) }, { type: 'step_finished' });
    expect(state).toMatchObject({ status: 'SUCCEEDED', pauseRequestedBy: null });
    expect(claim(asked({ mode: 'dry_run' })).state.status).toBe('RUNNING');
  });

  it('keeps the name of the first requester', () => {
    const first = decideNextState(runningRun({ a: 'RUNNING*' }), {
      type: 'pause_requested',
      by: { id: 'ada', name: 'Ada' },
    }).state;
    expect(
      decideNextState(first, { type: 'pause_requested', by: { id: 'bob', name: 'Bob' } }).state.pauseRequestedBy?.name,
    ).toBe('Ada');
  });
});

describe('a run that is no longer cleared', () => {
  const boundaries: [string, RunState, RunEvent][] = [
    ['before its first step', pendingRun(), { type: 'claimed' }],
    ['between two steps', runningRun({ a: 'SUCCEEDED*', b: 'SUCCEEDED*' }), { type: 'step_finished' }],
    [
      'when a worker takes it over before a command was sent',
      runningRun({ a: 'CONNECTING', b: 'PENDING' }),
      { type: 'claimed' },
    ],
    ['when it is resumed', pendingRun({ status: 'RUNNING' }), { type: 'claimed' }],
    ['when hosts are to be run again', { ...runningRun({ a: 'SUCCEEDED*', b: 'PENDING' }) }, { type: 'claimed' }],
  ];

  it.each(boundaries)('returns to approval %s, in any mode but dry_run', (_, state, event) => {
    for (const mode of ['auto', 'semi_assisted', 'interactive'] as const) {
      const { state: after, effects } = decideNextState({ ...state, mode, clearance: REAPPROVE }, event);
      expect(after).toMatchObject({
        status: 'PAUSED',
        pause: { reason: 'APPROVAL', index: null, text: 'It changed.' },
      });
      expect(effects).toEqual([{ type: 'wait' }]);
    }
    expect(decideNextState({ ...state, mode: 'dry_run', clearance: REAPPROVE }, event).state.status).toBe('RUNNING');
  });

  it.each(boundaries)('ends CANCELLED %s when its requester may not run there any more', (_, state, event) => {
    const { state: after, effects } = decideNextState({ ...state, clearance: REVOKED }, event);
    expect(after).toMatchObject({ status: 'CANCELLED', reason: { code: 'starter_not_allowed' } });
    expect(effects).toEqual([{ type: 'finish' }]);
  });

  it('continues at the same step once it is approved again', () => {
    const waits = claim({ ...runningRun({ a: 'SUCCEEDED*', b: 'PENDING' }), clearance: REAPPROVE }).state;
    const approved = decideNextState(waits, { type: 'approved', by: 'Bob' });
    expect(approved.state).toMatchObject({ status: 'PENDING', pause: null });
    expect(approved.effects).toEqual([{ type: 'enqueue' }]);
    const { effects } = claim({ ...approved.state, clearance: { kind: 'clear' } });
    expect(effects).toEqual([{ type: 'run_step', index: 0, hosts: ['b'], stopping: false }]);
  });

  it('still gets the results of commands that were sent, and sends nothing new', () => {
    for (const clearance of [REAPPROVE, REVOKED]) {
      const { state, effects } = claim({ ...runningRun({ a: 'RUNNING*', b: 'PENDING', c: 'CONNECTING' }), clearance });
      expect(state.status).toBe('RUNNING');
      expect(effects).toEqual([{ type: 'run_step', index: 0, hosts: ['a'], stopping: false }]);
    }
  });

  it('ends by its results when no step is left that needs clearance', () => {
    for (const clearance of [REAPPROVE, REVOKED]) {
      const last = { ...runningRun({ a: 'SUCCEEDED*', b: 'SUCCEEDED*' }), clearance };
      const { state } = decideNextState({ ...last, steps: last.steps.slice(0, 1) }, { type: 'step_finished' });
      expect(state.status).toBe('SUCCEEDED');
    }
  });
});

describe('the hosts of a step', () => {
  const run = (overall: HostStatus, policy: Partial<StepPolicy>, changes: Partial<RunState> = {}) =>
    pendingRun({
      hosts: { a: overall, b: 'PENDING' },
      steps: [ran('one', 'PARTIALLY_SUCCEEDED'), step('two', ['a', 'b'], { policy })],
      ...changes,
    });

  it('exclude those that dropped out before', () => {
    for (const overall of ['FAILED', 'UNREACHABLE', 'HOST_KEY_CHANGED', 'TIMED_OUT', 'UNKNOWN', 'SKIPPED'] as const)
      expect(hostsOf(run(overall, {}))).toEqual(['b']);
  });

  it('include failed ones for a step that always runs, but none that is unreachable or has an unknown result', () => {
    for (const overall of ['FAILED', 'TIMED_OUT'] as const)
      expect(hostsOf(run(overall, { always: true }))).toEqual(['a', 'b']);
    for (const overall of ['UNREACHABLE', 'HOST_KEY_CHANGED', 'UNKNOWN', 'SKIPPED'] as const)
      expect(hostsOf(run(overall, { always: true }))).toEqual(['b']);
  });

  it('are the first participating one for a step that runs once', () => {
    expect(hostsOf(run('PENDING', { runOnce: true }))).toEqual(['a']);
    expect(hostsOf(run('FAILED', { runOnce: true }))).toEqual(['b']);
  });

  it('are those that a notifying step changed, for a handler', () => {
    const onlyIfChanged = ['one', 'other'];
    expect(hostsOf(run('PENDING', { onlyIfChanged }, { changed: { one: ['b'], more: ['a'] } }))).toEqual(['b']);
    expect(hostsOf(run('FAILED', { onlyIfChanged }, { changed: { one: ['a', 'b'] } }))).toEqual(['b']);
    const { state } = claim(run('PENDING', { onlyIfChanged }));
    expect(state.steps[1]).toMatchObject({
      status: 'SKIPPED',
      reason: { code: 'nothing_changed', text: '"one", "other" changed nothing.' },
    });
  });

  it('are all that its selector matches in a dry run', () => {
    for (const policy of [{}, { onlyIfChanged: ['one'] }])
      expect(hostsOf(run('UNREACHABLE', policy, { mode: 'dry_run' }))).toEqual(['a', 'b']);
  });

  it('are reported as not participating when all have dropped out', () => {
    const { state } = claim(run('FAILED', {}, { hosts: { a: 'FAILED', b: 'UNREACHABLE' } }));
    expect(state.steps[1]?.reason?.code).toBe('no_hosts_left');
  });
});

describe('after a step that failed finally', () => {
  const failed = (policy: Partial<StepPolicy>, ...rest: StepState[]) =>
    pendingRun({ hosts: { a: 'FAILED', b: 'PENDING' }, steps: [ran('one', 'FAILED', policy), ...rest] });

  it('only steps with "always" run, and the run is FAILED', () => {
    const cleanup = step('three', ['a', 'b'], { policy: { always: true } });
    const { state, effects } = claim(failed({}, step('two', ['b']), cleanup));
    expect(state.steps[1]).toMatchObject({
      status: 'SKIPPED',
      reason: { code: 'earlier_step_failed', text: 'Step "one" failed.' },
    });
    expect(effects).toMatchObject([{ type: 'run_step', index: 2, hosts: ['a', 'b'] }]);
    const hosts = {
      a: { status: 'SUCCEEDED', dispatched: true },
      b: { status: 'SUCCEEDED', dispatched: true },
    } as const;
    const end = decideNextState({ ...state, open: [{ index: 2, hosts }] }, { type: 'step_finished' }).state;
    expect(end).toMatchObject({ status: 'FAILED', hosts: { a: 'FAILED', b: 'SUCCEEDED' } });
  });

  it('later steps run on the remaining hosts when its policy is to continue, and the run is still FAILED', () => {
    const { state, effects } = claim(failed({ onFailure: 'continue' }, step('two', ['a', 'b'])));
    expect(effects).toMatchObject([{ type: 'run_step', index: 1, hosts: ['b'] }]);
    const hosts = { b: { status: 'SUCCEEDED', dispatched: true } } as const;
    const end = decideNextState({ ...state, open: [{ index: 1, hosts }] }, { type: 'step_finished' }).state;
    expect(end).toMatchObject({ status: 'FAILED', hosts: { a: 'FAILED', b: 'SUCCEEDED' } });
  });

  it('a gate is skipped, but a gate with "always" waits', () => {
    expect(claim(failed({}, step('two', [], { policy: { gate: true } }))).state.status).toBe('FAILED');
    const always = step('two', [], { policy: { gate: true, always: true } });
    expect(claim(failed({}, always)).state).toMatchObject({ status: 'PAUSED', pause: { reason: 'GATE' } });
  });

  it('a dry run continues with all hosts and steps, and reports the blockers at its end', () => {
    const { state, effects } = claim({ ...failed({}, step('two', ['a', 'b'])), mode: 'dry_run' });
    expect(effects).toMatchObject([{ type: 'run_step', index: 1, hosts: ['a', 'b'] }]);
    const hosts = {
      a: { status: 'SUCCEEDED', dispatched: false },
      b: { status: 'SUCCEEDED', dispatched: false },
    } as const;
    const end = decideNextState({ ...state, open: [{ index: 1, hosts }] }, { type: 'step_finished' }).state;
    expect(end).toMatchObject({ status: 'FAILED', reason: { code: 'blocked' } });
  });
});
