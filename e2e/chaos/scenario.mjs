/** Derives everything that a trial does from its seed. Pure. */
import { PHASES } from './phases.mjs';
import { longPlanOf, planOf, spreadPlanOf, widePlanOf } from './plans.mjs';
import { Random } from './random.mjs';

export const LOAD_MS = 20_000;
const FAULTS_MS = 14_000;
const OPEN_PLANS = 8;
const GUARDED_PLANS = 3;
const START_COUNT = 60;
/** Start times of runs on most hosts of the open environment, in ms. */
const WIDE_STARTS = [0, 9_000];
/**
 * Start times of runs with strategy `free`, in ms. The first coincides with the first of `WIDE_STARTS`; later runs
 * seldom find enough free hosts.
 */
const SPREAD_STARTS = [0, 5_000, 12_000];
/** Start times of runs that end only when they are cancelled, in ms. */
const LONG_STARTS = [500, 4_000, 8_000];
/** Indexes of the hosts in the protected environment. All other hosts are in the open environment. */
const GUARDED_HOSTS = [8, 9, 10, 11, 12];

/** Share of starts and reruns that queue when another run conflicts, 0 to 1. */
const QUEUE_SHARE = 0.3;

const MODES = [
  ['auto', 6],
  ['semi_assisted', 3],
  ['interactive', 3],
  ['dry_run', 0.15],
];

const PHASES_OF_RUNS = ['connecting', 'intent', 'running', 'between_steps', 'retry_wait', 'batch', 'slice'];
const PHASES_ON_HOSTS = ['connecting', 'intent', 'running', 'slice'];
const WAITING = ['paused', 'approval', 'decision', 'gate'];

/**
 * For each kind of fault: weight, duration in ms (minimum and maximum), phases in which it starts, and the kind of
 * database if it needs one.
 */
export const FAULTS = {
  'kill-api': { weight: 4, lasts: [300, 2_500], phases: ['accepted', 'cancelling', ...WAITING] },
  'kill-worker': { weight: 8, lasts: [300, 4_000], phases: PHASES },
  'term-worker': { weight: 3, lasts: [300, 2_000], phases: ['accepted', 'cancelling', ...PHASES_OF_RUNS] },
  'stop-worker': { weight: 3, lasts: [25_000, 30_000], phases: ['finishing', ...PHASES_OF_RUNS] },
  'kill-session': { weight: 3, lasts: [0, 0], phases: ['intent', 'running'] },
  'kill-sshd': { weight: 2, lasts: [1_000, 8_000], phases: PHASES_ON_HOSTS },
  'kill-host': { weight: 4, lasts: [1_000, 8_000], phases: ['intent', 'running', 'running'] },
  'restart-database': { weight: 2, lasts: [500, 5_000], phases: PHASES },
  'kill-database': { weight: 2, lasts: [5_000, 30_000], phases: PHASES },
  'kill-product': { weight: 2, lasts: [300, 3_000], phases: PHASES, only: 'embedded' },
  'cut-database': { weight: 3, lasts: [4_000, 28_000], phases: PHASES_OF_RUNS },
  'cut-host': { weight: 3, lasts: [3_000, 28_000], phases: PHASES_ON_HOSTS },
  'isolate-worker': { weight: 3, lasts: [24_000, 30_000], phases: PHASES_OF_RUNS },
  'cut-worker': { weight: 2, lasts: [3_000, 25_000], phases: PHASES_ON_HOSTS },
  attack: { weight: 2, lasts: [2_000, 8_000], phases: PHASES_OF_RUNS },
};

/**
 * A trial has at most one fault of each group; otherwise no process could continue. With `--faults`, up to three, but
 * only one outage.
 */
const EXCLUSIVE_FAULTS = [
  ['restart-database', 'kill-database', 'kill-product'],
  ['stop-worker', 'cut-database', 'isolate-worker'],
  ['cut-host', 'cut-worker', 'isolate-worker'],
];
const isOutage = (kind) => EXCLUSIVE_FAULTS[0].includes(kind);

/**
 * @param {string} seed
 * @param {{ hosts: string[], kinds?: string[], database?: 'outside' | 'embedded' }} options `kinds`: the only kinds of
 *   fault to use
 */
export function scenarioOf(seed, { hosts, kinds, database = 'outside' }) {
  const random = new Random(seed);
  const environments = environmentsOf(random, hosts);
  const plans = plansOf(random, environments);
  const starts = startsOf(random, seed, plans, environments);
  return {
    seed,
    environments,
    plans,
    starts,
    adminChanges: adminChangesOf(random),
    faults: faultsOf(random, database, kinds),
  };
}

/** Environments by name. `approvals`: number of required approvals, 0 = none. */
function environmentsOf(random, hosts) {
  const guarded = hosts.filter((_, index) => GUARDED_HOSTS.includes(index));
  return {
    open: { hosts: hosts.filter((host) => !guarded.includes(host)), approvals: 0 },
    guarded: { hosts: guarded, approvals: random.chance(0.7) ? 1 : 2 },
  };
}

function plansOf(random, { open, guarded }) {
  const many = (count, from, environment, hosts) =>
    Array.from({ length: count }, (_, index) => planOf(random, `p${from + index}`, environment, hosts));
  return [
    ...many(OPEN_PLANS, 1, 'open', open.hosts),
    ...many(GUARDED_PLANS, OPEN_PLANS + 1, 'guarded', guarded.hosts),
    widePlanOf(random, 'wide', 'open', open.hosts),
    spreadPlanOf(random, 'spread', 'open', open.hosts),
    longPlanOf(random, 'long', 'open', open.hosts),
  ];
}

function startsOf(random, seed, plans, environments) {
  const starts = [];
  const add = (start) => starts.push({ marker: `${seed}.${starts.length + 1}`, ...start });
  for (const at of WIDE_STARTS)
    add({
      ...userBehaviour(random),
      at,
      plan: 'wide',
      hosts: wideOf(random, environments.open.hosts),
      patient: true,
      mode: 'auto',
    });
  const beside = environments.open.hosts.filter((host) => !starts[0].hosts.includes(host));
  for (const at of SPREAD_STARTS) {
    const hosts = at === 0 ? beside : random.sample(environments.open.hosts, random.wholeNumber(2, 4));
    const mode = random.weighted([
      ['auto', 2],
      ['semi_assisted', 1],
    ]);
    add({ ...userBehaviour(random), at, plan: 'spread', hosts, patient: true, mode });
  }
  for (const at of LONG_STARTS) {
    const steps = [{ afterMs: random.wholeNumber(500, 5_000), act: 'cancel' }];
    const hosts = random.sample(environments.open.hosts, random.wholeNumber(1, 2));
    add({
      ...userBehaviour(random),
      at,
      plan: 'long',
      hosts,
      patient: true,
      mode: 'auto',
      approval: 'approve',
      steps,
      rerun: null,
    });
  }
  while (starts.length < START_COUNT) {
    const at = random.wholeNumber(0, LOAD_MS - 1_500);
    const racers = random.chance(0.3) ? random.wholeNumber(2, 4) : 1;
    const name = random.chance(0.72) ? 'open' : 'guarded';
    const { hosts } = environments[name];
    const chosen = random.sample(
      hosts,
      random.weighted([
        [1, 6],
        [2, 4],
        [3, 2],
      ]),
    );
    const there = plans.filter((plan) => plan.environment === name && /^p/.test(plan.name));
    for (const plan of random.sample(there, racers))
      add({
        ...userBehaviour(random),
        at,
        plan: plan.name,
        hosts: chosen,
        mode: random.weighted(MODES),
        queues: random.chance(QUEUE_SHARE),
      });
  }
  return starts.sort((a, b) => a.at - b.at);
}

const wideOf = (random, hosts) => random.sample(hosts, random.wholeNumber(4, 7));

const userBehaviour = (random) => ({
  patient: random.chance(0.85),
  approval: random.weighted([
    ['approve', 12],
    ['reject', 2],
    ['leave', 1],
  ]),
  steps: [
    ...(random.chance(0.15) ? [{ afterMs: random.wholeNumber(50, 5_000), act: 'cancel' }] : []),
    ...(random.chance(0.15) ? [{ afterMs: random.wholeNumber(20, 2_500), act: 'pause' }] : []),
    ...(random.chance(0.15)
      ? [{ afterMs: random.wholeNumber(500, 4_000), act: 'mode', mode: random.pick(['semi_assisted', 'auto']) }]
      : []),
  ].sort((a, b) => a.afterMs - b.afterMs),
  rerun: random.chance(0.45)
    ? {
        hosts: random.pick(['all', 'all', 'failed']),
        snapshot: random.pick(['same', 'current']),
        /** Number of steps to rerun, counted from the last; null = all. */
        lastSteps: random.chance(0.4) ? random.wholeNumber(1, 2) : null,
        queues: random.chance(QUEUE_SHARE),
      }
    : null,
});

/** Changes by an admin during the trial, so that runs need approval for the first time or again. */
function adminChangesOf(random) {
  const when = () => random.wholeNumber(2_000, FAULTS_MS);
  const revoke = () => ({
    at: when(),
    act: 'revoke',
    approver: random.wholeNumber(0, 1),
    lasts: random.wholeNumber(500, 4_000),
  });
  return [...(random.chance(0.5) ? [revoke()] : []), ...(random.chance(0.15) ? [{ at: when(), act: 'protect' }] : [])];
}

function faultsOf(random, database, chosen) {
  const kinds = (chosen ?? Object.keys(FAULTS)).filter((kind) => [undefined, database].includes(FAULTS[kind].only));
  const most = chosen ? 3 : 1;
  const weighted = (from) => random.weighted(from.map((kind) => [kind, FAULTS[kind].weight]));
  // Each trial of an embedded database includes an outage that Runward itself has to repair.
  const faults = database === 'embedded' && !chosen ? [faultOf(random, weighted(kinds.filter(isOutage)))] : [];
  for (let count = random.wholeNumber(5, 8); count > 0; count -= 1) {
    const kind = weighted(kinds);
    const groups = EXCLUSIVE_FAULTS.filter((group) => group.includes(kind));
    const alike = faults.filter((fault) => groups.some((group) => group.includes(fault.kind)));
    if (groups.length > 0 && alike.length >= (isOutage(kind) ? 1 : most)) continue;
    faults.push(faultOf(random, kind));
  }
  return faults.sort((a, b) => a.at - b.at);
}

function faultOf(random, kind) {
  const { lasts, phases } = FAULTS[kind];
  return {
    kind,
    // Outages start late, because faults after an outage would only wait for the database.
    at: random.wholeNumber(isOutage(kind) ? FAULTS_MS / 2 : 300, FAULTS_MS),
    phase: random.chance(0.75) ? random.pick(phases) : null,
    lasts: random.wholeNumber(...lasts),
    /** Selects the target: at least 0, less than 1. */
    choice: random.next(),
    close: random.chance(0.4),
  };
}
