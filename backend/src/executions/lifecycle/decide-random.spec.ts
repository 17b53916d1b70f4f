import { describe, expect, it } from '@jest/globals';
import { pendingRun, step } from '../../../test/support/run-states.js';
import { type SeededRandom, seededRandom } from '../../../test/support/seeded-random.js';
import { type Decision, decide } from './decide.js';
import { dropsOut } from './outcome.js';
import type { RunEvent } from './run-event.js';
import type { HostInStep, RunState } from './run-state.js';
import { type HostStatus, isFinished, isHostFinished } from './statuses.js';

const ENDINGS: HostStatus[] = ['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'FAILED', 'UNREACHABLE', 'TIMED_OUT', 'UNKNOWN'];
const EVENTS: (
  | 'cancel_requested'
  | 'claimed'
  | 'step_finished'
  | 'commands_stopped'
  | 'deadline_passed'
  | 'engine_failed'
)[] = [
  ...(['claimed', 'claimed', 'claimed', 'step_finished', 'step_finished', 'step_finished', 'step_finished'] as const),
  ...(['cancel_requested', 'commands_stopped', 'deadline_passed', 'engine_failed'] as const),
];
const EVENT_COUNT = 30;
const SEEDS = Array.from({ length: 300 }, (_, index) => index + 1);

const eventOf = (type: (typeof EVENTS)[number]): RunEvent =>
  type === 'cancel_requested' ? { type, by: 'Ada', reason: null } : { type };

function randomRun(random: SeededRandom): RunState {
  const ids = ['a', 'b', 'c', 'd'].slice(0, 1 + random.int(4));
  const steps = Array.from({ length: 1 + random.int(4) }, (_, index) =>
    step(
      `s${index}`,
      ids.filter(() => random.int(4) > 0),
    ),
  );
  return pendingRun({ steps, hosts: Object.fromEntries(ids.map((id) => [id, 'PENDING'])) });
}

/** What the world does to the hosts of the current step between two decisions: some go on, some end, some do nothing. */
function onHosts(state: RunState, random: SeededRandom, all: boolean): RunState {
  if (!state.current) return state;
  const moved = (host: HostInStep): HostInStep => {
    if (isHostFinished(host.status)) return host;
    if (all || random.int(3) === 0) return { status: random.pick(ENDINGS), dispatched: true };
    if (random.int(2) === 0) return host;
    return random.int(2) === 0
      ? { status: 'CONNECTING', dispatched: host.dispatched }
      : { status: 'RUNNING', dispatched: true };
  };
  const hosts = Object.entries(state.current.hosts).map(([id, host]): [string, HostInStep] => [id, moved(host)]);
  return { ...state, current: { index: state.current.index, hosts: Object.fromEntries(hosts) } };
}

/** Plays random events on a random run; `check` sees each decision. */
function play(seed: number, check: (before: RunState, event: RunEvent, decision: Decision) => void): RunState {
  const random = seededRandom(seed);
  let state = randomRun(random);
  for (let n = 0; n < EVENT_COUNT; n += 1) {
    const before = onHosts(state, random, random.int(2) === 0);
    const event = eventOf(random.pick(EVENTS));
    const decision = decide(before, event);
    check(before, event, decision);
    // What a decision settled is stored; the next one is asked about what was stored.
    state = { ...decision.state, settled: null };
  }
  return state;
}

describe('any sequence of events', () => {
  it('never changes a finished run', () => {
    for (const seed of SEEDS) {
      play(seed, (before, _event, { state }) => {
        if (isFinished(before.status)) expect(state).toBe(before);
      });
    }
  });

  it('gets the same answer when the same is asked again', () => {
    for (const seed of SEEDS) {
      play(seed, (before, event, decision) => expect(decide(structuredClone(before), event)).toEqual(decision));
    }
  });

  it('never has a host run a step that it finished, was perhaps started in, or dropped out before', () => {
    for (const seed of SEEDS) {
      const done = new Set<string>();
      const dropped = new Set<string>();
      play(seed, (before, _event, { effects }) => {
        for (const [id, host] of Object.entries(before.current?.hosts ?? {})) {
          if (host.dispatched || isHostFinished(host.status)) done.add(`${before.current?.index} ${id}`);
          if (dropsOut(host.status)) dropped.add(id);
        }
        for (const effect of effects) {
          if (effect.type !== 'run_step') continue;
          for (const id of effect.hosts) {
            expect(done).not.toContain(`${effect.index} ${id}`);
            expect(dropped).not.toContain(id);
          }
        }
      });
    }
  });

  it('calls a run and a step SUCCEEDED only when each of its hosts was seen to succeed', () => {
    for (const seed of SEEDS) {
      const seen = new Map<string, HostStatus>();
      const end = play(seed, (before) => {
        for (const [id, host] of Object.entries(before.current?.hosts ?? {}))
          seen.set(`${before.current?.index} ${id}`, host.status);
      });
      for (const [index, { status, targets }] of end.steps.entries()) {
        if (status !== 'SUCCEEDED') continue;
        for (const id of targets)
          expect([seed, index, id, seen.get(`${index} ${id}`)]).toEqual([seed, index, id, 'SUCCEEDED']);
      }
      if (end.status === 'SUCCEEDED') expect(Object.values(end.hosts).filter(dropsOut)).toEqual([]);
    }
  });

  it('leaves a finished run with no step that runs or waits, and no host without a standing', () => {
    let finished = 0;
    for (const seed of SEEDS) {
      const end = play(seed, () => undefined);
      if (!isFinished(end.status)) continue;
      finished += 1;
      expect(end.current).toBeNull();
      expect(end.steps.filter(({ status }) => status === 'PENDING' || status === 'RUNNING')).toEqual([]);
      expect(Object.values(end.hosts).filter((status) => !isHostFinished(status))).toEqual([]);
    }
    expect(finished).toBeGreaterThan(SEEDS.length / 2);
  });
});

describe('a fair sequence of events', () => {
  it('brings every run to its end, also when workers die on the way', () => {
    for (const seed of SEEDS) {
      const random = seededRandom(seed);
      let decision = decide(randomRun(random), { type: 'claimed' });
      for (let rounds = 0; !isFinished(decision.state.status); rounds += 1) {
        expect(rounds).toBeLessThan(20);
        expect(decision.effects.map(({ type }) => type)).toEqual(['run_step']);
        const dies = rounds < 10 && random.int(4) === 0;
        const state = { ...onHosts(decision.state, random, !dies), settled: null };
        decision = decide(state, { type: dies ? 'claimed' : 'step_finished' });
      }
    }
  });
});
