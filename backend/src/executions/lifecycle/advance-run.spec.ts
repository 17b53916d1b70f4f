import { describe, expect, it } from '@jest/globals';
import { pendingRun, step } from '../../../test/support/run-states.js';
import { decideNextState } from './decide.js';
import type { HostInStep, RunState, StepPolicy } from './run-state.js';
import type { HostStatus } from './statuses.js';

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const claim = (state: RunState) => decideNextState(state, { type: 'claimed' });
const stepOf = ({ effects }: ReturnType<typeof decideNextState>) =>
  effects.find((effect) => effect.type === 'run_step');

const ten = (policy: Partial<StepPolicy>, changes: Partial<RunState> = {}): RunState =>
  pendingRun({
    steps: [step('one', IDS, { policy }), step('two', IDS)],
    hosts: Object.fromEntries(IDS.map((id) => [id, 'PENDING'])),
    ...changes,
  });

function ended(decision: ReturnType<typeof decideNextState>, statuses: Record<string, HostStatus> = {}) {
  const { state } = decision;
  const asked = stepOf(decision)?.hosts ?? [];
  const hosts = Object.entries(state.open[0]?.hosts ?? {}).map(([id, host]): [string, HostInStep] => [
    id,
    asked.includes(id) ? { status: statuses[id] ?? 'SUCCEEDED', dispatched: true } : host,
  ]);
  const open = [{ index: state.open[0]?.index ?? 0, hosts: Object.fromEntries(hosts) }];
  return decideNextState({ ...state, open, settled: [] }, { type: 'step_finished' });
}

describe('a step in batches', () => {
  it('continues with the next hosts when the previous ones have a result', () => {
    let decision = claim(ten({ batch: { hosts: 4 } }));
    const seen: (string[] | undefined)[] = [];
    for (let n = 0; n < 4; n += 1) {
      seen.push(stepOf(decision)?.hosts);
      decision = ended(decision);
    }
    expect(seen).toEqual([IDS.slice(0, 4), IDS.slice(4, 8), IDS.slice(8), IDS]);
    expect(decision.state.status).toBe('SUCCEEDED');
  });

  it.each([
    [25, 2],
    [1, 1],
    [50, 5],
    [99, 9],
    [100, 10],
  ])('of %i%% takes %i of ten hosts at a time', (percent, size) => {
    expect(stepOf(claim(ten({ batch: { percent } })))?.hosts).toHaveLength(size);
  });

  it('starts no further hosts after a take-over before the running ones have a result', () => {
    const { state } = claim(ten({ batch: { hosts: 3 } }));
    const hosts: Record<string, HostInStep> = { ...state.open[0]?.hosts };
    hosts.a = { status: 'SUCCEEDED', dispatched: true };
    hosts.b = { status: 'RUNNING', dispatched: true };
    const taken = claim({ ...state, open: [{ index: 0, hosts }] });
    expect(stepOf(taken)?.hosts).toEqual(['b']);
    expect(stepOf(ended(taken))?.hosts).toEqual(['c', 'd', 'e']);
    expect(ended(taken, { b: 'FAILED' }).state).toMatchObject({
      status: 'FAILED',
      hosts: { b: 'FAILED', c: 'SKIPPED', d: 'SKIPPED' },
    });
  });

  it('starts no further hosts after a take-over when too many have failed by then', () => {
    const { state } = claim(ten({ batch: { hosts: 3 } }));
    const hosts: Record<string, HostInStep> = { ...state.open[0]?.hosts };
    hosts.a = { status: 'FAILED', dispatched: true };
    hosts.b = { status: 'RUNNING', dispatched: true };
    const taken = claim({ ...state, open: [{ index: 0, hosts }] });
    expect(stepOf(taken)?.hosts).toEqual(['b']);
    expect(ended(taken).state).toMatchObject({
      status: 'FAILED',
      hosts: { b: 'SUCCEEDED', c: 'SKIPPED', d: 'SKIPPED' },
    });
  });

  it('of a dry run gets all of its verdicts, also after a take-over', () => {
    const { state } = claim(ten({ batch: { hosts: 3 } }, { mode: 'dry_run' }));
    const hosts: Record<string, HostInStep> = { ...state.open[0]?.hosts };
    hosts.a = { status: 'FAILED', dispatched: false };
    expect(stepOf(claim({ ...state, open: [{ index: 0, hosts }] }))?.hosts).toEqual(IDS.slice(1));
  });

  it('does not start further hosts once more failed than the step allows', () => {
    const { state } = ended(claim(ten({ batch: { hosts: 4 } })), { b: 'FAILED' });
    expect(state).toMatchObject({
      status: 'FAILED',
      hosts: { a: 'SUCCEEDED', b: 'FAILED', e: 'SKIPPED', j: 'SKIPPED' },
    });
    expect(state.settled[0]?.hosts).toEqual(Object.fromEntries(IDS.slice(4).map((id) => [id, 'SKIPPED'])));
  });

  it('continues as long as the failures are within its limit', () => {
    const decision = ended(claim(ten({ batch: { hosts: 4 }, maxFailPercent: 10 })), { b: 'FAILED' });
    expect(stepOf(decision)?.hosts).toEqual(IDS.slice(4, 8));
    expect(ended(decision, { f: 'FAILED' }).state.status).toBe('FAILED');
  });

  it('pauses for a decision instead in modes with a person, and a retry includes hosts that were not started', () => {
    for (const mode of ['semi_assisted', 'interactive'] as const) {
      const begun = step('one', IDS, { policy: { batch: { hosts: 4 } }, confirmed: true });
      const paused = ended(claim(ten({}, { mode, steps: [begun, step('two', IDS)] })), { b: 'FAILED' });
      expect(paused.state).toMatchObject({
        status: 'PAUSED',
        pause: { reason: 'FAILURE_DECISION', index: 0, text: '1 failed of 10 hosts.' },
      });
      const answer = { action: 'retry_failed', serverIds: null, by: 'Ada', comment: null } as const;
      const retried = decideNextState({ ...paused.state, settled: [] }, { type: 'decided', ...answer }).state;
      expect(retried.reopened).toEqual({ index: 0, hosts: ['b', ...IDS.slice(4)] });
      expect(new Set(Object.values(retried.hosts))).toEqual(new Set(['PENDING']));
      expect(stepOf(claim({ ...retried, reopened: null }))?.hosts).toEqual(['b', 'e', 'f', 'g']);
    }
  });
});

describe('failures within a limit', () => {
  const finish = (policy: Partial<StepPolicy>, failed: number, changes: Partial<RunState> = {}) =>
    ended(claim(ten(policy, changes)), Object.fromEntries(IDS.slice(0, failed).map((id) => [id, 'FAILED' as const])));

  it.each([
    [{ maxFailPercent: 20 }, 0, 2, true],
    [{ maxFailPercent: 20 }, 0, 3, false],
    [{ maxFailPercent: 20 }, 100, 3, false],
    [{ maxFailPercent: 0 }, 100, 1, false],
    [{}, 20, 2, true],
    [{}, 20, 3, false],
    [{}, 0, 1, false],
  ])(
    'of the step %j, else of the plan (%i%%): %i of ten, tolerated: %s',
    (policy, maxFailPercent, failed, tolerated) => {
      const decision = finish(policy, failed, { maxFailPercent });
      if (!tolerated) return expect(decision.state.status).toBe('FAILED');
      expect(decision.state.steps[0]?.status).toBe('PARTIALLY_SUCCEEDED');
      expect(stepOf(decision)?.hosts).toEqual(IDS.slice(failed));
      expect(ended(decision).state).toMatchObject({
        status: 'PARTIALLY_SUCCEEDED',
        reason: { code: 'some_hosts_failed', text: `${failed} failed of 10 hosts.` },
        hosts: { a: 'FAILED', j: 'SUCCEEDED' },
      });
    },
  );

  it('of the plan are counted over all steps, those of a step over its own hosts', () => {
    const over = ended(finish({}, 2, { maxFailPercent: 30 }), { c: 'FAILED', d: 'FAILED' });
    expect(over.state.status).toBe('FAILED');
    const within = ended(finish({}, 2, { maxFailPercent: 30 }), { c: 'FAILED' });
    expect(within.state.status).toBe('PARTIALLY_SUCCEEDED');
  });

  it('do not count skipped hosts: a step that was skipped everywhere was skipped', () => {
    const skipped = Object.fromEntries(IDS.map((id) => [id, 'SKIPPED' as const]));
    const decision = ended(claim(ten({})), skipped);
    expect(decision.state.steps[0]?.status).toBe('SKIPPED');
    expect(stepOf(decision)?.hosts).toEqual(IDS);
    expect(ended(claim(ten({})), { a: 'SKIPPED' }).state.steps[0]?.status).toBe('SUCCEEDED');
  });

  it('do not turn a run into a success in which every host failed', () => {
    const all = Object.fromEntries(IDS.map((id) => [id, 'FAILED' as const]));
    const { state } = ended(claim(ten({}, { maxFailPercent: 100 })), all);
    expect(state).toMatchObject({ status: 'FAILED', reason: { code: 'hosts_failed', text: '10 failed of 10 hosts.' } });
  });

  it('leave a run INTERRUPTED when one of the hosts was lost', () => {
    const decision = ended(claim(ten({}, { maxFailPercent: 100 })), { a: 'UNKNOWN' });
    expect(stepOf(decision)?.hosts).toEqual(IDS.slice(1));
    expect(ended(decision).state).toMatchObject({ status: 'INTERRUPTED', reason: { code: 'hosts_lost' } });
  });
});

describe('a step that continues whatever the plan does', () => {
  it('does not pause when it fails beyond its limit, in the modes that pause', () => {
    const policy = { onFailure: 'continue', continuesOnFailure: true } as const;
    const decision = ended(claim(ten(policy, { mode: 'semi_assisted' })), { a: 'FAILED' });
    expect(decision.state).toMatchObject({ status: 'RUNNING', pause: null });
    expect(decision.state.steps.map(({ status }) => status)).toEqual(['FAILED', 'RUNNING']);
    expect(stepOf(decision)?.hosts).toEqual(IDS.slice(1));
  });

  it('does not include a step where only the plan continues: the run pauses for a decision', () => {
    const decision = ended(claim(ten({ onFailure: 'continue' }, { mode: 'semi_assisted' })), { a: 'FAILED' });
    expect(decision.state).toMatchObject({ status: 'PAUSED', pause: { reason: 'FAILURE_DECISION' } });
  });
});
