/**
 * Looks up rows and evidence by run, step and host. A host step is one step of one run on one host, with the key `run
 * step host`.
 */

export const UNFINISHED_STATUSES = new Set(['PENDING', 'RUNNING', 'PAUSED', 'CANCELLING']);
/** Final statuses of runs whose commands were stopped. */
export const STOPPED_STATUSES = new Set(['CANCELLING', 'CANCELLED', 'TIMED_OUT', 'EXPIRED']);
/**
 * Tolerance in ms: host clocks have a resolution of 10 ms, and the last line of a command may arrive after its end is
 * reported.
 */
export const CLOCK_TOLERANCE_MS = 300;

/**
 * Whether an event switches the mode. A status event without a new status and without a mode says what the run waits
 * for.
 */
export const isSwitchOfMode = ({ type, data }) =>
  type === 'execution.status_changed' && data.previous === data.status && data.execution_mode !== undefined;

export const violation = (invariant, kind, run, text) => ({ invariant, kind, run: run ?? null, text });

/**
 * Outcome of one attempt, or of several attempts that no user requested individually.
 * @typedef {{ status: string, exitCode: number | null, code: string | null, message: string | null, changed: boolean |
 *   null, at: number, final: boolean, dispatches: object[], starts: object[] }} Outcome `final`: false if another
 *   attempt followed
 */

export class Lookup {
  #segments = new Map();

  constructor(found) {
    this.found = found;
    this.runs = new Map(found.runs.map((run) => [run.id, run]));
    this.steps = Map.groupBy(found.steps, (row) => row.run);
    this.dispatches = new Map(found.dispatches.map((row) => [row.dispatchId, row]));
    this.starts = Map.groupBy(found.evidence, hostStepOfStart);
    this.startsOfRun = Map.groupBy(found.evidence, (start) => start.run);
    this.events = Map.groupBy(found.events, (event) => event.run);
    this.hosts = new Map(found.hosts.map((row) => [`${row.run} ${row.server}`, row]));
    this.keys = new Map(found.steps.map((row) => [`${row.run} ${row.index}`, row.key]));
    this.results = new Map(found.results.map((row) => [this.hostStepOf(row), row]));
    this.outcomes = this.#outcomes();
    /** Host steps that had an unknown result at some time. Their command may still run beside later commands. */
    this.lost = new Set(
      [...this.outcomes]
        .filter(([, all]) => all.some(({ status }) => status === 'UNKNOWN'))
        .map(([hostStep]) => hostStep),
    );
  }

  hostStepOf({ run, index, server }) {
    return `${run} ${this.keys.get(`${run} ${index}`)} ${this.hostOf(run, server)}`;
  }

  hostOf(run, server) {
    return this.hosts.get(`${run} ${server}`)?.host;
  }

  plan(run) {
    const name = this.runs.get(run)?.planName.split(' ')[0];
    return this.found.plans.find((plan) => plan.name === name);
  }

  step(run, key) {
    return this.plan(run)?.steps.find((step) => step.key === key);
  }

  indexOf(run, key) {
    return this.steps.get(run)?.find((step) => step.key === key)?.index ?? -1;
  }

  /**
   * Returns the runs whose results of a step count for this run: the run itself, and for steps before its resume point
   * also the resumed runs.
   */
  runsThatCount(id, key) {
    const run = this.runs.get(id);
    const resumed = run?.fromStep && run.parent && this.indexOf(id, key) < this.indexOf(id, run.fromStep);
    return [id, ...(resumed ? this.runsThatCount(run.parent, key) : [])];
  }

  /**
   * Returns the index of the first step of a segment. Between segments, all hosts wait for each other; within a
   * segment, each host continues independently. Uses the final mode of the run, which has the fewest barriers.
   */
  segmentOf(run, index) {
    if (!this.#segments.has(run)) this.#segments.set(run, segmentsOf(this.plan(run), this.runs.get(run)?.mode));
    return this.#segments.get(run)[index] ?? index;
  }

  say(hostStep) {
    const [run, ...rest] = hostStep.split(' ');
    return [this.runs.get(run)?.marker ?? run, ...rest].join(' ');
  }

  /** Returns the time at which a command began, in ms since 1970. */
  startTimeMs(start) {
    return this.found.bootMs + 1000 * start.startedAt;
  }

  decisions(run, pattern, step) {
    return (this.events.get(run) ?? []).filter(
      ({ type, data }) =>
        type === 'decision.made' && pattern.test(data.action) && (step === undefined || data.stepKey === step),
    );
  }

  retriesByUser(hostStep) {
    const [run, step, host] = hostStep.split(' ');
    return this.decisions(run, /^retry/, step).filter(
      ({ data }) => !data.serverIds || data.serverIds.some((server) => this.hostOf(run, server) === host),
    );
  }

  /** @returns {Map<string, Outcome[]>} by host step, in order */
  #outcomes() {
    const reported = this.found.events.filter(
      ({ run, type }) =>
        (type === 'host.finished' || type === 'host.retrying') && this.runs.get(run)?.mode !== 'dry_run',
    );
    const dispatches = Map.groupBy(this.found.dispatches, (row) => this.hostStepOf(row));
    const dispatchesIn = (hostStep, since, at) =>
      (dispatches.get(hostStep) ?? []).filter((row) => row.at > since && row.at <= at);
    const starts = Map.groupBy(this.found.evidence, (start) => start.dispatchId);
    const hostSteps = Map.groupBy(
      reported,
      ({ run, data }) => `${run} ${data.stepKey} ${this.hostOf(run, data.serverId)}`,
    );
    return new Map(
      [...hostSteps].map(([hostStep, events]) => {
        let since = -Infinity;
        const outcomes = events.flatMap(({ type, at, data }, index) => {
          const final = type === 'host.finished';
          const next = events[index + 1];
          const stopped = STOPPED_STATUSES.has(this.runs.get(hostStep.split(' ')[0])?.status);
          if (!final && stopped && isRepeated(data, next, dispatchesIn(hostStep, at, next?.at))) return [];
          const own = dispatchesIn(hostStep, since, at);
          since = at;
          return [
            {
              ...data,
              code: data.reason?.code ?? null,
              message: data.reason?.text ?? null,
              at,
              final,
              dispatches: own,
              starts: own.flatMap(({ dispatchId }) => starts.get(dispatchId) ?? []),
            },
          ];
        });
        return [hostStep, outcomes];
      }),
    );
  }
}

/** Returns for each step the index of the first step of its segment. */
function segmentsOf({ strategy, steps } = { steps: [] }, mode) {
  const free = strategy === 'free' && (mode === 'auto' || mode === 'semi_assisted');
  const isBarrier = (step) => !step || !free || step.type === 'gate' || step.runOnce || Boolean(step.batch);
  let first = 0;
  return steps.map((step, index) => {
    const asks = mode === 'semi_assisted' && step.confirm;
    if (isBarrier(step) || isBarrier(steps[index - 1]) || asks) first = index;
    return first;
  });
}

/** Whether an event repeats the result of the previous attempt, because the run stopped before the next attempt. */
const isRepeated = ({ status, exitCode }, next, dispatches) =>
  next?.type === 'host.finished' &&
  next.data.status === status &&
  next.data.exitCode === exitCode &&
  dispatches.length === 0;

export const hostStepOfStart = (start) => `${start.run} ${start.step} ${start.host}`;
