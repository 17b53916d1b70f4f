import { describe, expect, it } from '@jest/globals';
import { pendingRun, step } from '../../../test/support/run-states.js';
import { type SeededRandom, seededRandom } from '../../../test/support/seeded-random.js';
import { type Decision, decideNextState } from './decide.js';
import { isDroppedStatus } from './outcome.js';
import type { RunEvent } from './run-event.js';
import { type RunAdmission, ADMITTED, type RunClearance, type HostInStep, type RunState } from './run-state.js';
import {
  DECISION_ACTIONS,
  EXECUTION_MODES,
  type HostStatus,
  isFinished,
  isHostFinished,
  isSuccessful,
  ALLOWED_MODE_SWITCHES,
} from './statuses.js';
import { TRANSITIONS } from './transitions.js';

const ENDINGS: HostStatus[] = [
  ...(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SKIPPED'] as const),
  ...(['FAILED', 'UNREACHABLE', 'TIMED_OUT', 'UNKNOWN'] as const),
];
const CLEARANCES: RunClearance[] = [
  ...Array.from({ length: 10 }, (): RunClearance => ({ kind: 'clear' })),
  { kind: 'reapprove', reason: { code: 'secret_changed', text: 'A secret changed.' } },
  { kind: 'revoked', reason: { code: 'starter_not_allowed', text: 'Ada may not.' } },
];
const WAITING: RunAdmission = { kind: 'waiting' };
const FOUND: RunAdmission[] = [
  ...(['waiting', 'early', 'blocked', 'blocked', 'free', 'free', 'free'] as const).map((kind) => ({ kind })),
  { kind: 'late', reason: { code: 'queue_expired', text: 'It waited too long.' } },
  { kind: 'refused', reason: { code: 'run_overlap', text: 'Another run conflicts.' } },
];
const EVENT_COUNT = 30;
const SEEDS = Array.from({ length: 500 }, (_, index) => index + 1);

function drawEvent(random: SeededRandom, { mode, admission }: RunState): RunEvent {
  const serverIds = random.int(3) === 0 ? [random.pick(['a', 'b', 'c', 'd'])] : null;
  const rareEvents: RunEvent[] = [
    { type: 'cancel_requested', by: 'Ada', reason: null },
    { type: 'commands_stopped' },
    { type: 'deadline_passed' },
    { type: 'engine_failed' },
    { type: 'rejected', by: 'Bob', comment: 'no' },
    { type: 'pause_expired' },
    { type: 'pause_requested', by: { id: 'ada', name: 'Ada' } },
    ...ALLOWED_MODE_SWITCHES[mode].map((each): RunEvent => ({ type: 'mode_changed', mode: each })),
  ];
  const commonEvents: RunEvent[] = [
    { type: 'claimed' },
    { type: 'step_finished' },
    {
      type: 'hosts_finished',
      hosts: random.int(2) === 0 ? ['a', 'b', 'c', 'd'] : [random.pick(['a', 'b', 'c', 'd'])],
      within: random.int(2) === 0 ? { from: 0, to: 9 } : { from: random.int(3), to: 3 },
    },
    ...(admission.kind === 'admitted' ? [] : Array.from({ length: 3 }, (): RunEvent => ({ type: 'admission_asked' }))),
    { type: 'approved', by: 'Bob' },
    { type: 'decided', action: random.pick(DECISION_ACTIONS), serverIds, by: 'Ada', comment: null },
  ];
  return random.int(12) === 0 ? random.pick(rareEvents) : random.pick(commonEvents);
}

function randomRun(random: SeededRandom): RunState {
  const ids = ['a', 'b', 'c', 'd'].slice(0, 1 + random.int(4));
  const maybe = (inverse: number) => random.int(inverse) === 0;
  const steps = Array.from({ length: 1 + random.int(4) }, (_, index) =>
    step(
      `s${index}`,
      ids.filter(() => !maybe(4)),
      {
        policy: {
          gate: maybe(6),
          placeholder: false,
          confirm: maybe(3),
          continuesOnFailure: maybe(4),
          always: maybe(5),
          runOnce: maybe(6),
          batch: maybe(3) ? random.pick([{ hosts: 1 }, { hosts: 2 }, { percent: 50 }]) : null,
          maxFailPercent: maybe(3) ? random.pick([0, 50, 100]) : null,
          onFailure: maybe(3) ? 'continue' : 'stop',
          onlyIfChanged: index > 0 && maybe(5) ? ['s0'] : [],
        },
      },
    ),
  );
  const mode = random.pick(EXECUTION_MODES);
  return pendingRun({
    mode,
    strategy: random.pick(['barrier', 'free', 'free']),
    maxFailPercent: random.pick([0, 0, 50, 100]),
    steps,
    hosts: Object.fromEntries(ids.map((id) => [id, 'PENDING'])),
    changed: { s0: ids.filter(() => maybe(2)) },
    admission: mode !== 'dry_run' && maybe(3) ? WAITING : ADMITTED,
  });
}

function onHosts(state: RunState, asked: readonly string[], random: SeededRandom, all: boolean): RunState {
  const moved = (host: HostInStep): HostInStep => {
    if (isHostFinished(host.status)) return host;
    if (all || random.int(3) === 0) return { status: random.pick(ENDINGS), dispatched: true };
    if (random.int(2) === 0) return host;
    return random.int(2) === 0
      ? { status: 'CONNECTING', dispatched: host.dispatched }
      : { status: 'RUNNING', dispatched: true };
  };
  const open = state.open.map(({ index, hosts }) => ({
    index,
    hosts: Object.fromEntries(
      Object.entries(hosts).map(([id, host]) => [id, asked.includes(`${index} ${id}`) ? moved(host) : host]),
    ),
  }));
  return { ...state, open };
}

const requestedBy = ({ effects }: Decision): string[] =>
  effects.flatMap((effect) => (effect.type === 'run_step' ? effect.hosts.map((id) => `${effect.index} ${id}`) : []));

const inSteps = ({ open }: RunState): [string, HostInStep][] =>
  open.flatMap(({ index, hosts }) =>
    Object.entries(hosts).map(([id, host]): [string, HostInStep] => [`${index} ${id}`, host]),
  );

const enteredPlaces = (before: RunState, after: RunState): string[] => {
  const known = new Set(inSteps(before).map(([place]) => place));
  return inSteps(after).flatMap(([place]) => (known.has(place) ? [] : [place]));
};
const at = (place: string): [number, string] => [Number(place.split(' ')[0]), place.split(' ')[1] ?? ''];

function play(seed: number, check: (before: RunState, event: RunEvent, decision: Decision) => void): RunState {
  const random = seededRandom(seed);
  let state = randomRun(random);
  let asked: string[] = [];
  for (let n = 0; n < EVENT_COUNT; n += 1) {
    const event = drawEvent(random, state);
    const clearance = random.pick(CLEARANCES);
    const admission =
      event.type === 'admission_asked' && state.admission.kind !== 'admitted' ? random.pick(FOUND) : state.admission;
    // `step_finished` is reported when each host of the effect has a result.
    const before = { ...onHosts(state, asked, random, event.type === 'step_finished'), clearance, admission };
    const decision = decideNextState(before, event);
    check(before, event, decision);
    asked = event.type === 'hosts_finished' ? [...asked, ...requestedBy(decision)] : requestedBy(decision);
    // The next decision receives the state that the store would contain.
    const admitted = decision.state.admission.kind === 'admitted';
    state = {
      ...{ ...decision.state, settled: [], reopened: null, answered: null },
      admission: admitted ? ADMITTED : WAITING,
    };
  }
  return state;
}

describe('any sequence of events', () => {
  it('never changes a finished run', () => {
    for (const seed of SEEDS) {
      play(seed, (before, _event, { state, effects }) => {
        if (!isFinished(before.status)) return;
        expect(state).toBe(before);
        expect(effects).toEqual([{ type: 'finish' }]);
      });
    }
  });

  it('has the same decision when the same event is repeated', () => {
    for (const seed of SEEDS.slice(0, 300)) {
      play(seed, (before, event, decision) =>
        expect(decideNextState(structuredClone(before), event)).toEqual(decision),
      );
    }
  });

  it('makes only transitions of the table, and has an effect for the next action', () => {
    const met = new Set<string>();
    for (const seed of SEEDS) {
      play(seed, (before, event, { state, effects }) => {
        if (state === before) return;
        const transition = `${before.status} ${event.type} ${state.status}`;
        met.add(transition);
        if (!TRANSITIONS[before.status]?.[event.type]?.includes(state.status))
          throw new Error(`${seed}: ${transition}`);
        const [effect] = effects;
        if (isFinished(state.status)) expect([transition, effect?.type]).toEqual([transition, 'finish']);
        else if (event.type === 'pause_requested' || event.type === 'mode_changed') expect(effects).toEqual([]);
        else if (event.type === 'hosts_finished') expect(effects.every(({ type }) => type === 'run_step')).toBe(true);
        else {
          const wanted = {
            PAUSED: ['wait'],
            PENDING: event.type === 'admission_asked' ? ['enqueue', 'wait'] : ['enqueue'],
            CANCELLING: ['stop_commands', 'run_step', 'enqueue'],
          };
          const expectedEffects = wanted[state.status as keyof typeof wanted] ?? ['run_step', 'enqueue'];
          expect([transition, expectedEffects.includes(effect?.type ?? '')]).toEqual([transition, true]);
        }
      });
    }
    // The table has 50 transitions. A test run that covers only a few proves little.
    expect(met.size).toBeGreaterThan(35);
  });

  it('gives every RUNNING run a host to run, or enqueues it for a worker', () => {
    for (const seed of SEEDS) {
      play(seed, (before, event, { state, effects }) => {
        if (state === before || state.status !== 'RUNNING') return;
        if (event.type === 'pause_requested' || event.type === 'mode_changed') return;
        const hosts = new Map(inSteps(state));
        for (const effect of effects) if (effect.type === 'run_step') expect(effect.hosts.length).toBeGreaterThan(0);
        for (const place of requestedBy({ state, effects }))
          expect(isHostFinished(hosts.get(place)?.status ?? 'UNKNOWN')).toBe(false);
        if (event.type === 'hosts_finished') return;
        expect(['run_step', 'enqueue']).toContain(effects[0]?.type);
      });
    }
  });

  it('never starts a step on a host that finished it, unless a person reran it', () => {
    for (const seed of SEEDS) {
      const done = new Set<string>();
      play(seed, (before, event, { state, effects }) => {
        for (const [place, host] of inSteps(before)) if (isHostFinished(host.status)) done.add(place);
        for (const id of state.reopened?.hosts ?? []) {
          expect(event.type).toBe('decided');
          done.delete(`${state.reopened?.index} ${id}`);
        }
        for (const place of requestedBy({ state, effects })) expect([seed, done.has(place)]).toEqual([seed, false]);
      });
    }
  });

  it('starts no step on a host that dropped out, except cleanup and dry runs', () => {
    let started = 0;
    for (const seed of SEEDS) {
      play(seed, (before, _event, { state }) => {
        if (state.mode === 'dry_run') return;
        for (const place of enteredPlaces(before, state)) {
          const [index, id] = at(place);
          if (state.steps[index]?.policy.always) continue;
          started += 1;
          expect([seed, before.hosts[id]]).toEqual([seed, 'PENDING']);
        }
      });
    }
    expect(started).toBeGreaterThan(100);
  });

  it('starts no step without the confirmation that the mode or a gate requires, and none without clearance', () => {
    for (const seed of SEEDS) {
      play(seed, (before, event, { state, effects }) => {
        const begun = [...new Set(enteredPlaces(before, state).map((place) => at(place)[0]))];
        const hasBegun = begun.length > 0;
        for (const step of begun.map((index) => state.steps[index])) {
          const asksBeforeStep =
            state.mode === 'interactive' || (state.mode === 'semi_assisted' && step?.policy.confirm);
          if (asksBeforeStep) expect([seed, step?.confirmed]).toEqual([seed, true]);
        }
        for (const [index, each] of state.steps.entries()) {
          const opened = each.policy.gate && each.status === 'SUCCEEDED' && before.steps[index]?.status !== 'SUCCEEDED';
          if (opened) expect([seed, each.confirmed]).toEqual([seed, true]);
        }
        const advancesRun = ['claimed', 'step_finished', 'hosts_finished'].includes(event.type);
        if (before.clearance.kind === 'clear' || !advancesRun) return;
        if (before.clearance.kind === 'reapprove' && before.mode === 'dry_run') return;
        if (state.mode === 'dry_run' && !hasBegun) return;
        expect([seed, hasBegun]).toEqual([seed, false]);
        if (event.type === 'hosts_finished') return;
        const hosts = new Map(inSteps(before));
        for (const place of requestedBy({ state, effects })) expect(hosts.get(place)?.dispatched).toBe(true);
      });
    }
  });

  it('starts nothing before the run has its guard keys, and releases none before its end', () => {
    let admitted = 0;
    for (const seed of SEEDS) {
      play(seed, (before, event, { state, effects }) => {
        if (before.admission.kind === 'admitted') return expect(state.admission).toEqual(ADMITTED);
        if (event.type === 'admission_asked' && state.admission.kind === 'admitted') {
          admitted += 1;
          expect([seed, before.admission.kind, before.clearance.kind]).toEqual([seed, 'free', 'clear']);
          expect([state.status, effects]).toEqual(['PENDING', [{ type: 'enqueue' }]]);
        }
        expect([seed, requestedBy({ state, effects }), enteredPlaces(before, state)]).toEqual([seed, [], []]);
        if (state.status === 'RUNNING') throw new Error(`${seed}: it runs without its keys`);
      });
    }
    expect(admitted).toBeGreaterThan(50);
  });

  it('pauses no dry run', () => {
    let dryRunStates = 0;
    for (const seed of SEEDS) {
      play(seed, (before, _event, { state }) => {
        if (state.mode !== 'dry_run' || before.status === 'PAUSED') return;
        dryRunStates += 1;
        expect(state.status).not.toBe('PAUSED');
      });
    }
    expect(dryRunStates).toBeGreaterThan(SEEDS.length);
  });

  it('ends a run SUCCEEDED only when no host dropped out and no step failed or was tolerated', () => {
    let succeeded = 0;
    for (const seed of SEEDS) {
      const end = play(seed, () => undefined);
      if (end.status !== 'SUCCEEDED' || end.mode === 'dry_run') continue;
      succeeded += 1;
      expect(Object.values(end.hosts).filter(isDroppedStatus)).toEqual([]);
      expect(end.steps.filter(({ status }) => status !== 'SUCCEEDED' && status !== 'SKIPPED')).toEqual([]);
    }
    expect(succeeded).toBeGreaterThan(10);
  });

  it('leaves a finished run without pause, without running or waiting steps, and with a status for every host', () => {
    let finished = 0;
    for (const seed of SEEDS) {
      const end = play(seed, () => undefined);
      if (!isFinished(end.status)) continue;
      finished += 1;
      expect(end.open).toEqual([]);
      expect(end.pause).toBeNull();
      expect(end.steps.filter(({ status }) => ['PENDING', 'RUNNING', 'PAUSED'].includes(status))).toEqual([]);
      expect(Object.values(end.hosts).filter((status) => !isHostFinished(status))).toEqual([]);
    }
    expect(finished).toBeGreaterThan(SEEDS.length / 2);
  });
});

describe('a fair sequence of events', () => {
  it('brings every run to its end with all of its hosts, also when workers die and people give random answers', () => {
    for (const seed of SEEDS) {
      const random = seededRandom(seed);
      const run = randomRun(random);
      const ran = new Set<string>();
      let admission = run.admission;
      while (admission.kind !== 'admitted') {
        const kind = random.pick(['early', 'blocked', 'free'] as const);
        ({ admission } = decideNextState({ ...run, admission: { kind } }, { type: 'admission_asked' }).state);
      }
      let decision = decideNextState({ ...run, admission }, { type: 'claimed' });
      for (let rounds = 0; !isFinished(decision.state.status); rounds += 1) {
        expect([seed, rounds]).toEqual([seed, Math.min(rounds, 80)]);
        const { state, effects } = decision;
        if (state.status === 'PAUSED') {
          const actions = rounds > 20 ? (['abort'] as const) : DECISION_ACTIONS;
          const action = random.pick(actions);
          decision = decideNextState(state, { type: 'decided', action, serverIds: null, by: 'Ada', comment: null });
          if (decision.effects.length === 0) decision = { state, effects: [{ type: 'wait' }] };
          else decision = decideNextState({ ...decision.state, reopened: null, answered: null }, { type: 'claimed' });
          continue;
        }
        let asked = requestedBy(decision);
        for (const place of asked) ran.add(place);
        expect(asked.length).toBeGreaterThan(0);
        let next: RunState = { ...state, settled: [] };
        // Hosts in a segment continue before other hosts have ended.
        while (effects.some((effect) => effect.type === 'run_step' && effect.segment) && random.int(4) > 0) {
          next = onHosts(next, asked, random, false);
          const left = decideNextState(next, {
            type: 'hosts_finished',
            hosts: Object.keys(next.hosts),
            within: { from: 0, to: 9 },
          });
          next = left.state;
          asked = requestedBy(left);
          for (const place of asked) ran.add(place);
        }
        const endsWithDeath = rounds < 10 && random.int(4) === 0;
        next = onHosts(next, asked, random, !endsWithDeath);
        decision = decideNextState(next, { type: endsWithDeath ? 'claimed' : 'step_finished' });
      }
      const { steps, hosts } = decision.state;
      for (const [index, { status, targets, policy }] of steps.entries()) {
        const over =
          status === 'SUCCEEDED' || (status === 'PARTIALLY_SUCCEEDED' && isSuccessful(decision.state.status));
        if (!over || policy.gate || policy.runOnce || policy.onlyIfChanged.length > 0) continue;
        const left = targets.filter((id) => hosts[id] === 'SUCCEEDED' && !ran.has(`${index} ${id}`));
        expect([seed, index, left]).toEqual([seed, index, []]);
      }
    }
  });
});
