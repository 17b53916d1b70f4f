/** Generates the plans of a trial: step types, and the behaviour of each step on each host. Pure. */

export const CHANGED_EXIT_CODE = 42;
/** Number of lines of a command that hangs: only its time limit ends it. */
export const HANG_SECONDS = 600;

/** Durations of steps. They are short, because a run must end within the time of a trial. */
const SHORT = [
  [{ lines: 1, pauseSeconds: 0.05 }, 2],
  [{ lines: 4, pauseSeconds: 0.1 }, 3],
  [{ lines: 8, pauseSeconds: 0.1 }, 2],
];
const ANY = [
  [{ lines: 3, pauseSeconds: 0.05 }, 3],
  [{ lines: 12, pauseSeconds: 0.2 }, 5],
  // Longer than a worker takes to shut down.
  [{ lines: 30, pauseSeconds: 0.4 }, 1],
];

/**
 * @typedef {object} Step
 * @property {string} key
 * @property {'command' | 'script' | 'template' | 'gate'} type
 * @property {string[]} hosts hosts that the selector matches
 * @property {number} lines lines to print, `pauseSeconds` apart, each with `padBytes` more
 * @property {string[]} failOn hosts on which the step fails with `exitCode`
 * @property {{ hosts: string[], attempts: number } | null} failsFirst hosts on which the first attempts fail
 * @property {string[]} hangOn hosts on which the step hangs until it is stopped
 * @property {string[]} changeOn hosts on which the step reports a change
 * @property {boolean} outputs whether the step sets its output `token`
 * @property {string | null} uses key of an earlier step whose `token` this step receives
 */

/**
 * @param {string[]} hosts of the plan's environment
 * @returns {{ name: string, environment: string, strategy: 'barrier' | 'free', parallelSafe: boolean,
 *   timeoutSeconds: number | null, steps: Step[] }}
 */
export function planOf(random, name, environment, hosts) {
  const steps = [];
  for (let count = random.wholeNumber(1, 4), index = 1; index <= count; index += 1)
    steps.push(stepOf(random, `s${index}`, hosts, steps));
  if (random.chance(0.12)) steps.splice(random.wholeNumber(0, steps.length - 1), 0, gateOf(random, hosts));
  if (random.chance(0.35)) steps.push({ ...plain(random, 'clean', hosts), always: true });
  return {
    name,
    environment,
    strategy: strategyOf(random),
    parallelSafe: random.chance(0.3),
    timeoutSeconds: random.chance(0.06) ? random.wholeNumber(3, 8) : null,
    steps,
  };
}

/** Plan for wide runs: batches or independent hosts, and enough hosts for several slices. */
export function widePlanOf(random, name, environment, hosts) {
  const strategy = strategyOf(random);
  const batchOf = (sizes) => (strategy === 'free' && random.chance(0.7) ? null : random.pick([null, ...sizes]));
  const first = {
    ...plain(random, 's1', hosts),
    hosts,
    batch: batchOf(['2', '40%']),
    ...retriesOf(random, hosts),
  };
  const second = {
    ...plain(random, 's2', hosts),
    hosts,
    lines: 8,
    pauseSeconds: 0.2,
    batch: batchOf(['1', '3']),
  };
  const last = { ...plain(random, 'clean', hosts), hosts, always: true };
  const third = { ...plain(random, 's3', hosts), ...retriesOf(random, hosts) };
  const steps = strategy === 'free' ? [first, second, third, last] : [first, second, last];
  return { name, environment, strategy, parallelSafe: true, timeoutSeconds: null, steps };
}

/** Plan in which some hosts are soon far ahead of other hosts, which need retries or have more steps. */
export function spreadPlanOf(random, name, environment, hosts) {
  const steps = ['s1', 's2', 's3', 's4'].map((key) => ({
    ...plain(random, key, hosts),
    ...(random.chance(0.5) ? retriesOf(random, hosts) : {}),
    ...(random.chance(0.3) ? { changeOn: random.sample(hosts, random.wholeNumber(1, hosts.length)) } : {}),
    failOn: random.chance(0.3) ? random.sample(hosts, random.wholeNumber(1, 3)) : [],
    confirm: random.chance(0.15),
  }));
  const changer = steps.find(({ changeOn }) => changeOn.length > 0);
  if (changer && changer !== steps[3]) steps[3].onlyIfChanged = [changer.key];
  steps.push({ ...plain(random, 'clean', hosts), hosts, always: true, confirm: false });
  return { name, environment, strategy: 'free', parallelSafe: true, timeoutSeconds: null, steps };
}

export function longPlanOf(random, name, environment, hosts) {
  const retries = { count: 1, delaySeconds: 600 };
  const step = { ...plain(random, 's1', hosts), hosts, lines: 1, failOn: hosts, retries };
  return { name, environment, strategy: strategyOf(random), parallelSafe: true, timeoutSeconds: null, steps: [step] };
}

const strategyOf = (random) => (random.chance(0.3) ? 'free' : 'barrier');

const plain = (random, key, hosts) => ({
  key,
  type: 'command',
  hosts: random.chance(0.8) ? hosts : random.sample(hosts, random.wholeNumber(1, hosts.length - 1)),
  ...random.weighted(SHORT),
  padBytes: random.weighted([
    [0, 3],
    [200, 2],
    [5000, 1],
  ]),
  exitCode: random.wholeNumber(1, 40),
  failOn: [],
  failsFirst: null,
  hangOn: [],
  changeOn: [],
  outputs: false,
  uses: null,
  onlyIfChanged: [],
  confirm: random.chance(0.4),
  always: false,
  runOnce: false,
  batch: null,
  retries: null,
  timeoutSeconds: null,
  onFailure: random.chance(0.15) ? 'continue' : null,
  maxFailPercent: random.chance(0.1) ? 50 : null,
  idempotent: false,
});

function stepOf(random, key, hosts, before) {
  const step = plain(random, key, hosts);
  if (random.chance(0.18)) step.failOn = random.sample(hosts, 1);
  const setter = before.findLast((each) => each.outputs);
  if (setter && random.chance(0.7)) step.uses = setter.key;
  const changer = before.findLast((each) => each.changeOn.length > 0);
  if (changer && random.chance(0.7)) step.onlyIfChanged = [changer.key];
  step.type = random.weighted([
    ['command', 7],
    ['script', 2],
    ['template', 1],
  ]);
  if (step.type === 'template') return templateOf(random, step, hosts);
  step.idempotent = random.chance(0.1);
  const more = random.weighted([
    [() => random.weighted(ANY), 5],
    [() => ({ batch: random.pick(['1', '2', '3', '25%', '50%']) }), 3],
    [() => retriesOf(random, hosts), 3],
    [() => ({ ...retriesOf(random, hosts), batch: '2' }), 1],
    [() => ({ timeoutSeconds: 2, hangOn: random.sample(hosts, random.wholeNumber(1, 2)) }), 1],
    [() => ({ ...retriesOf(random, hosts), timeoutSeconds: 2, hangOn: random.sample(hosts, 1) }), 0.5],
    [() => ({ runOnce: true, outputs: true }), 3],
    [() => ({ changeOn: random.sample(hosts, random.wholeNumber(1, hosts.length)) }), 3],
  ]);
  return { ...step, ...more() };
}

function retriesOf(random, hosts) {
  const count = random.wholeNumber(1, 3);
  const failing = random.sample(hosts, random.wholeNumber(1, hosts.length));
  const failsFirst = random.chance(0.8) ? { hosts: failing, attempts: random.wholeNumber(1, count + 1) } : null;
  return { retries: { count, delaySeconds: random.wholeNumber(0, 2) }, failsFirst };
}

/**
 * Writes a file on one host only, because all hosts share one file system. The validation command writes the evidence.
 */
const templateOf = (random, step, hosts) => ({
  ...step,
  hosts: random.sample(hosts, 1),
  lines: random.pick([0, 2, 6]),
  pauseSeconds: 0.2,
  padBytes: 0,
  uses: null,
  exitCode: 1,
  idempotent: true,
});

const gateOf = (random, hosts) => ({
  ...plain(random, 'gate', hosts),
  type: 'gate',
  hosts: [],
  timeoutSeconds: random.wholeNumber(4, 8),
  onFailure: null,
  maxFailPercent: null,
  confirm: false,
});
