import { describe, expect, it } from '@jest/globals';
import { pendingRun, step } from '../../../test/support/run-states.js';
import { type Decision, decideNextState } from './decide.js';
import type { HostInStep, RunState, StepPolicy } from './run-state.js';
import { findSegmentAt } from './segment.js';
import type { DecisionAction, HostStatus } from './statuses.js';

const IDS = ['a', 'b', 'c'];
const ALL = { from: 0, to: 9 };
const free = (policies: Partial<StepPolicy>[], changes: Partial<RunState> = {}): RunState =>
  pendingRun({
    strategy: 'free',
    steps: policies.map((policy, index) => step(`s${index}`, IDS, { policy })),
    hosts: Object.fromEntries(IDS.map((id) => [id, 'PENDING'])),
    ...changes,
  });
const plain = (count: number): Partial<StepPolicy>[] => Array.from({ length: count }, () => ({}));
const claim = (state: RunState): Decision => decideNextState({ ...state, ...STORED }, { type: 'claimed' });
const STORED = { settled: [], reopened: null, answered: null };

function ends({ state }: Decision, id: string, status: HostStatus = 'SUCCEEDED', changes: Partial<RunState> = {}) {
  const open = state.open.map(({ index, hosts }) => {
    const host = hosts[id];
    const ended: HostInStep = { status, dispatched: true };
    return host?.status === 'PENDING' ? { index, hosts: { ...hosts, [id]: ended } } : { index, hosts };
  });
  const busy = open.flatMap(({ hosts }) => Object.keys(hosts).filter((each) => hosts[each]?.status === 'PENDING'));
  const hosts = IDS.filter((each) => !busy.includes(each));
  return decideNextState({ ...state, ...STORED, open, ...changes }, { type: 'hosts_finished', hosts, within: ALL });
}
const drained = ({ state }: Decision): Decision => decideNextState({ ...state, ...STORED }, { type: 'step_finished' });
const answered = ({ state }: Decision, action: DecisionAction, serverIds: string[] | null = null): Decision =>
  claim(decideNextState(state, { type: 'decided', action, serverIds, by: 'Ada', comment: null }).state);
const under = ({ state }: Decision): string[] =>
  state.open.flatMap(({ index, hosts }) => {
    const ids = IDS.filter((id) => hosts[id]?.status === 'PENDING');
    return ids.length > 0 ? [`${index}: ${ids.join(' ')}`] : [];
  });
const startsOf = ({ effects }: Decision): string[] =>
  effects.map((effect) => (effect.type === 'run_step' ? `${effect.index}: ${effect.hosts.join(' ')}` : effect.type));
const statuses = ({ state }: Decision): string[] => state.steps.map(({ status }) => status);

describe('a partial move with only the hosts that move', () => {
  const moved = (partial: Partial<RunState>): Decision => {
    const done: HostInStep = { status: 'SUCCEEDED', dispatched: true };
    const steps = [0, 1].map((index) => step(`s${index}`, ['a']));
    const begun = steps.map((each, index) => (index === 0 ? { ...each, status: 'RUNNING' as const } : each));
    const state = free([], { status: 'RUNNING', hosts: { a: 'PENDING' }, reached: { a: 0 }, ...partial });
    const open = [{ index: 0, hosts: { a: done } }];
    return decideNextState({ ...state, steps: begun, open }, { type: 'hosts_finished', hosts: ['a'], within: ALL });
  };

  it('has the same result as among all hosts', () => {
    expect(startsOf(moved({ partial: true }))).toEqual(['1: a']);
    expect(startsOf(moved({}))).toEqual(['1: a']);
  });

  it('ends no step: other hosts may still be in it', () => {
    expect(statuses(moved({ partial: true }))).toEqual(['RUNNING', 'RUNNING']);
    expect(statuses(moved({}))).toEqual(['SUCCEEDED', 'RUNNING']);
  });
});

describe('a segment', () => {
  const gates = [{}, {}, { gate: true }, {}, { runOnce: true }, {}, { batch: { hosts: 1 } }, {}, { confirm: true }, {}];
  it.each([
    ['auto', [[0, 1], [0, 1], null, [3, 3], null, [5, 5], null, [7, 9], [7, 9], [7, 9]]],
    ['semi_assisted', [[0, 1], [0, 1], null, [3, 3], null, [5, 5], null, [7, 7], [8, 9], [8, 9]]],
    ['interactive', gates.map(() => null)],
    ['dry_run', gates.map(() => null)],
  ] as const)('in %s is between two steps where all hosts meet', (mode, expected) => {
    const state = free(gates, { mode });
    const found = gates.map((_, index) => findSegmentAt(state, index));
    expect(found.map((segment) => segment && [segment.from, segment.to])).toEqual(expected);
  });

  it('does not exist in a plan whose steps are barriers', () => {
    expect(findSegmentAt(free(plain(2), { strategy: 'barrier' }), 0)).toBeNull();
  });
});

describe('a host that ends its step', () => {
  it('continues with the next one, whatever other hosts do', () => {
    const begun = claim(free(plain(3)));
    expect(startsOf(begun)).toEqual(['0: a b c']);
    const next = ends(begun, 'a');
    expect([startsOf(next), under(next)]).toEqual([['1: a'], ['0: b c', '1: a']]);
    expect(under(ends(next, 'a'))).toEqual(['0: b c', '2: a']);
    expect(statuses(ends(next, 'a'))).toEqual(['RUNNING', 'RUNNING', 'RUNNING']);
  });

  it('begins with its first eligible step', () => {
    const steps = [step('one', ['a']), step('two', ['b']), step('three', IDS)];
    expect(startsOf(claim(free([], { steps })))).toEqual(['0: a', '1: b', '2: c']);
  });

  it('skips a handler of steps that changed nothing there', () => {
    const state = free([{}, { onlyIfChanged: ['s0'] }, {}], { changed: { s0: ['b'] } });
    expect(under(ends(ends(claim(state), 'a'), 'b'))).toEqual(['0: c', '1: b', '2: a']);
  });

  it('ends the step when no other host can reach it', () => {
    const two = ends(ends(claim(free(plain(2))), 'a'), 'b');
    expect(statuses(two)).toEqual(['RUNNING', 'RUNNING']);
    const three = ends(two, 'c', 'SKIPPED');
    expect(statuses(three)).toEqual(['SUCCEEDED', 'RUNNING']);
    const last = ends(ends(ends(three, 'a'), 'b'), 'c');
    expect([statuses(last), last.effects]).toEqual([['SUCCEEDED', 'SUCCEEDED'], []]);
    expect(drained(last).state.status).toBe('SUCCEEDED');
  });

  it('waits where all meet, and the next step begins with all of them', () => {
    const two = ends(ends(claim(free([{}, { runOnce: true }, {}])), 'a'), 'b');
    expect([startsOf(two), under(two)]).toEqual([[], ['0: c']]);
    const met = ends(two, 'c');
    expect([met.effects, statuses(met)]).toEqual([[], ['SUCCEEDED', 'PENDING', 'PENDING']]);
    expect(startsOf(drained(met))).toEqual(['1: a']);
  });

  it('advances only within the given segment', () => {
    const begun = claim(free(plain(3)));
    const open = [{ index: 0, hosts: { ...begun.state.open[0]?.hosts, a: { status: 'SUCCEEDED', dispatched: true } } }];
    const tell = (within: { from: number; to: number }) =>
      decideNextState({ ...begun.state, open } as RunState, { type: 'hosts_finished', hosts: ['a'], within });
    expect(startsOf(tell({ from: 0, to: 0 }))).toEqual([]);
    expect(startsOf(tell({ from: 1, to: 2 }))).toEqual(['1: a']);
  });

  it.each([
    ['a pause was asked for', { pauseRequestedBy: { id: 'ada', name: 'Ada' } }],
    [
      'it is not cleared',
      { clearance: { kind: 'reapprove', reason: { code: 'secret_changed', text: 'It changed.' } } },
    ],
  ] as const)('does not advance when %s, and the run pauses once other hosts have ended', (_, changes) => {
    let decision = ends(claim(free(plain(2))), 'a', 'SUCCEEDED', changes);
    expect([startsOf(decision), under(decision)]).toEqual([[], ['0: b c']]);
    decision = ends(ends(decision, 'b'), 'c');
    expect(startsOf(decision)).toEqual([]);
    expect(drained(decision).state).toMatchObject({ status: 'PAUSED', steps: [{}, { status: 'PENDING' }] });
  });

  it('keeps its position over a requested pause', () => {
    const ahead = ends(claim(free(plain(3))), 'a');
    const asked = ends(ends(ends(ahead, 'a', 'SUCCEEDED', { pauseRequestedBy: { id: 'ada', name: 'Ada' } }), 'b'), 'c');
    const paused = drained(asked);
    expect(paused.state.pause).toMatchObject({ reason: 'REQUESTED', index: 1 });
    expect(under(answered(paused, 'proceed'))).toEqual(['1: b c', '2: a']);
  });
});

describe('a host that fails', () => {
  const lenient = { maxFailPercent: 50 };

  it('continues directly with its cleanup in modes without a person', () => {
    const failed = ends(claim(free([{}, {}, { always: true }], lenient)), 'a', 'FAILED');
    expect(startsOf(failed)).toEqual(['2: a']);
    expect(under(ends(failed, 'b'))).toEqual(['0: c', '1: b', '2: a']);
  });

  it('delays its cleanup until other hosts have ended where a person may rerun it', () => {
    const run = free([{}, {}, { always: true }], { ...lenient, mode: 'semi_assisted' });
    const failed = ends(claim(run), 'a', 'FAILED');
    expect(startsOf(failed)).toEqual([]);
    const rest = ends(ends(failed, 'b'), 'c');
    expect(under(rest)).toEqual(['1: b c', '2: a']);
    expect(statuses(rest)).toEqual(['PARTIALLY_SUCCEEDED', 'RUNNING', 'RUNNING']);
  });

  it('stops other hosts before their next steps when it exceeds the limit; cleanup runs', () => {
    const ahead = ends(claim(free([{}, {}, {}, { always: true }])), 'a');
    const failed = ends(ahead, 'b', 'FAILED');
    expect(startsOf(failed)).toEqual(['3: b']);
    const later = ends(ends(failed, 'a'), 'c');
    expect(under(later)).toEqual(['3: a b c']);
    expect(statuses(later)).toEqual(['FAILED', 'PARTIALLY_SUCCEEDED', 'PENDING', 'RUNNING']);
    const end = drained(ends(ends(ends(later, 'a'), 'b'), 'c'));
    expect(end.state).toMatchObject({ status: 'FAILED', hosts: { a: 'SUCCEEDED', b: 'FAILED', c: 'SUCCEEDED' } });
    expect(statuses(end)).toEqual(['FAILED', 'PARTIALLY_SUCCEEDED', 'SKIPPED', 'SUCCEEDED']);
  });

  it('stops no other host where the policy continues', () => {
    const failed = ends(claim(free([{ onFailure: 'continue' }, {}])), 'a', 'FAILED');
    expect(under(ends(failed, 'b'))).toEqual(['0: c', '1: b']);
    expect(drained(ends(ends(ends(ends(failed, 'b'), 'b'), 'c'), 'c')).state.status).toBe('FAILED');
  });

  it('counts against all hosts that will reach the step', () => {
    const ahead = ends(claim(free([{}, { maxFailPercent: 40 }, {}])), 'a');
    const failed = ends(ahead, 'a', 'FAILED');
    expect(under(ends(failed, 'b'))).toEqual(['0: c', '1: b']);
    expect(statuses(ends(ends(failed, 'b'), 'b', 'FAILED'))).toEqual(['RUNNING', 'FAILED', 'PENDING']);
    expect(startsOf(ends(ends(ends(failed, 'b'), 'b', 'FAILED'), 'c'))).toEqual([]);
  });

  it('pauses once other hosts have ended, beginning with the first step that failed', () => {
    let decision = ends(ends(claim(free(plain(3), { mode: 'semi_assisted' })), 'a'), 'b', 'FAILED');
    expect(startsOf(decision)).toEqual([]);
    decision = ends(ends(decision, 'a', 'FAILED'), 'c');
    expect(startsOf(decision)).toEqual([]);
    const asked = drained(decision);
    expect(asked.state.pause).toMatchObject({ reason: 'FAILURE_DECISION', index: 0, text: '1 failed of 3 hosts.' });
    const again = drained(answered(asked, 'skip'));
    expect(again.state.pause).toMatchObject({ reason: 'FAILURE_DECISION', index: 1 });
    expect(under(answered(again, 'retry_failed'))).toEqual(['1: a b c']);
  });
});

describe('a step that all other hosts have ended', () => {
  it('is not over for a host that failed before it and may be rerun', () => {
    const failed = ends(ends(claim(free(plain(2), { mode: 'semi_assisted' })), 'b'), 'b');
    const asked = drained(ends(ends(ends(failed, 'c'), 'c'), 'a', 'FAILED'));
    expect(statuses(asked)).toEqual(['PAUSED', 'RUNNING']);
    expect(under(ends(answered(asked, 'retry_failed'), 'a'))).toEqual(['1: a']);
  });
});

describe('an answer to a failure', () => {
  /** Only host a has reached the second step, and failed there. Hosts b and c wait before it. */
  const asked = (): Decision => {
    const failed = ends(ends(claim(free(plain(3), { mode: 'semi_assisted' })), 'a'), 'a', 'FAILED');
    return drained(ends(ends(failed, 'b'), 'c'));
  };

  it('reruns only hosts that have not advanced since', () => {
    const ahead = ends(claim(free(plain(2), { mode: 'semi_assisted' })), 'a');
    const paused = drained(ends(ends(ends(ahead, 'b', 'FAILED'), 'a'), 'c'));
    expect(paused.state.pause?.index).toBe(0);
    expect(under(answered(paused, 'retry'))).toEqual(['0: b c']);
    expect(under(answered(paused, 'retry', ['a', 'b']))).toEqual(['0: b', '1: c']);
  });

  it('lets other hosts reach the step when the failed ones are excluded', () => {
    const left = answered(asked(), 'exclude_hosts');
    expect([under(left), left.state.hosts.a]).toEqual([['1: b c'], 'FAILED']);
    expect(left.state.steps[1]).toMatchObject({
      status: 'RUNNING',
      reason: { code: 'hosts_excluded', text: 'Ada excluded the hosts that failed.' },
    });
    const over = ends(ends(left, 'b'), 'c');
    expect(over.state.steps[1]).toMatchObject({
      ...{
        status: 'PARTIALLY_SUCCEEDED',
        reason: { code: 'hosts_excluded', text: 'Ada excluded the hosts that failed.' },
      },
    });
    expect(under(over)).toEqual(['2: b c']);
  });

  it('lets failed hosts continue too when a person skips the failure', () => {
    const passed = answered(asked(), 'skip');
    expect([under(passed), passed.state.hosts.a]).toEqual([['1: b c', '2: a'], 'PENDING']);
    expect(ends(ends(passed, 'b'), 'c').state.steps[1]?.status).toBe('PARTIALLY_SUCCEEDED');
  });

  it('is requested again when another host fails there', () => {
    const failed = ends(ends(ends(answered(asked(), 'exclude_hosts'), 'b', 'FAILED'), 'c'), 'c');
    expect(drained(failed).state.pause).toMatchObject({ reason: 'FAILURE_DECISION', index: 1 });
  });
});

describe('a free run that is taken over', () => {
  it('continues each host from its position', () => {
    const ahead = ends(ends(claim(free(plain(3))), 'a'), 'a');
    expect(startsOf(claim(ahead.state))).toEqual(['0: b c', '2: a']);
  });

  it('stops the commands of all its steps when it was cancelled', () => {
    const { state } = ends(claim(free(plain(3))), 'a');
    const open = state.open.map(({ index, hosts }) => ({
      index,
      hosts: Object.fromEntries(
        Object.entries(hosts).map(([id, host]): [string, HostInStep] => [
          id,
          host.status === 'PENDING' && id !== 'c' ? { status: 'RUNNING', dispatched: true } : host,
        ]),
      ),
    }));
    const taken = claim({ ...state, open, status: 'CANCELLING' });
    expect(taken.effects).toMatchObject([
      { index: 0, hosts: ['b'], stopping: true },
      { index: 1, hosts: ['a'], stopping: true },
    ]);
    expect(taken.state.settled).toEqual([]);
    const end = decideNextState(taken.state, { type: 'commands_stopped' });
    expect(statuses(end)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
    expect(end.state.hosts).toEqual({ a: 'UNKNOWN', b: 'UNKNOWN', c: 'CANCELLED' });
  });
});
