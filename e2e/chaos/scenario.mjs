/** What a trial does, made from its seed alone. Pure. */
import { PHASES } from './phases.mjs';
import { Random } from './random.mjs';

/** How long runs are started, and faults begin, in ms. */
export const LOAD_MS = 20_000;
const FAULTS_MS = 14_000;
const PLANS = 10;
const STARTS = 56;

/** Kinds of fault: how often, how long the harm lasts in ms, and which phases it can be aimed at. */
export const FAULTS = {
  'kill-api': { weight: 3, lasts: [300, 2_500], phases: ['accepted', 'cancelling', 'paused'] },
  'kill-worker': { weight: 7, lasts: [300, 4_000], phases: PHASES },
  'term-worker': {
    weight: 3,
    lasts: [300, 2_000],
    phases: ['accepted', 'connecting', 'intent', 'running', 'cancelling'],
  },
  'stop-worker': {
    weight: 3,
    lasts: [25_000, 30_000],
    phases: ['connecting', 'intent', 'running', 'between_steps', 'finishing'],
  },
  'kill-session': { weight: 3, lasts: [0, 0], phases: ['intent', 'running'] },
  'kill-sshd': { weight: 2, lasts: [1_000, 8_000], phases: ['connecting', 'intent', 'running'] },
  'kill-host': { weight: 2, lasts: [1_000, 8_000], phases: ['connecting', 'intent', 'running'] },
  'restart-database': { weight: 2, lasts: [500, 5_000], phases: PHASES },
  'kill-database': { weight: 2, lasts: [5_000, 30_000], phases: PHASES },
  'cut-database': { weight: 3, lasts: [4_000, 28_000], phases: ['connecting', 'intent', 'running', 'between_steps'] },
  'cut-host': { weight: 2, lasts: [3_000, 25_000], phases: ['connecting', 'intent', 'running'] },
  'isolate-worker': {
    weight: 3,
    lasts: [24_000, 30_000],
    phases: ['connecting', 'intent', 'running', 'between_steps'],
  },
  'cut-worker': { weight: 2, lasts: [3_000, 25_000], phases: ['connecting', 'intent', 'running'] },
};

/** Of each of these groups a trial has one at the most: more of them would leave nobody to go on. Chosen kinds may come more often. */
const ONE_OF = [
  ['restart-database', 'kill-database'],
  ['stop-worker', 'cut-database', 'isolate-worker'],
  ['cut-host', 'cut-worker', 'isolate-worker'],
];
const isOutage = (kind) => ONE_OF[0].includes(kind);

/**
 * @param {string} seed
 * @param {{ hosts: string[], modes: string[], kinds?: string[] }} given `kinds`: only these kinds of fault
 */
export function scenarioOf(seed, { hosts, modes, kinds }) {
  const random = new Random(seed);
  const plans = Array.from({ length: PLANS }, (_, index) => planOf(random, `p${index + 1}`, hosts));
  return { seed, plans, starts: startsOf(random, seed, plans, hosts, modes), faults: faultsOf(random, kinds, modes) };
}

function planOf(random, name, hosts) {
  const steps = Array.from({ length: random.whole(1, 4) }, (_, index) => ({
    key: `s${index + 1}`,
    hosts: random.chance(0.8) ? hosts : random.some(hosts, random.whole(1, hosts.length - 1)),
    ...random.weighted([
      [{ lines: random.whole(1, 6), pauseSeconds: 0.05 }, 3],
      [{ lines: random.whole(4, 20), pauseSeconds: 0.2 }, 5],
      // Longer than a worker that is asked to end waits.
      [{ lines: random.whole(24, 36), pauseSeconds: 0.4 }, 1],
    ]),
    padBytes: random.weighted([
      [0, 3],
      [200, 2],
      [5000, 1],
    ]),
    failOn: random.chance(0.15) ? random.some(hosts, 1) : [],
    exitCode: random.whole(1, 60),
    confirm: random.chance(0.4),
  }));
  return { name, steps };
}

function startsOf(random, seed, plans, hosts, modes) {
  const starts = [];
  while (starts.length < STARTS) {
    const at = random.whole(0, LOAD_MS - 1_500);
    const racers = random.chance(0.3) ? random.whole(2, 4) : 1;
    const chosen = random.some(hosts, random.whole(1, 2));
    for (const plan of random.some(plans, racers)) {
      const [cancelled, cancelAfterMs] = [random.chance(0.2), random.whole(50, 5_000)];
      starts.push({
        marker: `${seed}.${starts.length + 1}`,
        plan: plan.name,
        at,
        hosts: chosen,
        mode: random.pick(modes),
        /** Asks again while another run is in the way. */
        patient: random.chance(0.7),
        cancelAfterMs: cancelled ? cancelAfterMs : null,
      });
    }
  }
  return starts.sort((a, b) => a.at - b.at);
}

function faultsOf(random, chosen, modes) {
  const kinds = chosen ?? Object.keys(FAULTS);
  const most = chosen ? 3 : 1;
  const comes = (phase) => phase !== 'paused' || modes.some((mode) => mode !== 'auto');
  const faults = [];
  const weights = kinds.map((kind) => [kind, FAULTS[kind].weight]);
  for (let count = random.whole(5, 8); count > 0; count -= 1) {
    const kind = random.weighted(weights);
    const groups = ONE_OF.filter((group) => group.includes(kind));
    const alike = faults.filter((fault) => groups.some((group) => group.includes(fault.kind)));
    if (groups.length > 0 && alike.length >= (isOutage(kind) ? 1 : most)) continue;
    const { lasts, phases } = FAULTS[kind];
    faults.push({
      kind,
      // The database is for all: what comes after its end only waits for it.
      at: random.whole(isOutage(kind) ? FAULTS_MS / 2 : 300, FAULTS_MS),
      phase: random.chance(0.75) ? random.pick(phases.filter(comes)) : null,
      lasts: random.whole(...lasts),
      /** Which one of several, and how its end goes: a number from 0 to below 1 each. */
      choice: random.next(),
      close: random.chance(0.4),
    });
  }
  return faults.sort((a, b) => a.at - b.at);
}
