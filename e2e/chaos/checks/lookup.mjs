/** Looks rows and evidence up by what they belong to. A place is one step of one run on one host. */

export const UNFINISHED = new Set(['PENDING', 'RUNNING', 'PAUSED', 'CANCELLING']);
/** How a run is left whose commands were told to end. */
export const STOPPED = new Set(['CANCELLING', 'CANCELLED', 'TIMED_OUT', 'EXPIRED']);
/** Host clocks tell hundredths of a second, and a command's last line may be under way when its end is told; in ms. */
export const SLACK_MS = 300;

/** Others that leave the status as it is tell what the run waits for. */
export const isSwitchOfMode = ({ type, data }) =>
  type === 'execution.status_changed' && data.previous === data.status && data.execution_mode !== undefined;

export const violation = (invariant, kind, run, text) => ({ invariant, kind, run: run ?? null, text });

/**
 * What was told of one attempt, or of several that nobody asked for one by one.
 * @typedef {{ status: string, exitCode: number | null, code: string | null, message: string | null, changed: boolean | null,
 *   at: number, final: boolean, dispatches: object[], starts: object[] }} Outcome
 * `final`: the place had its result; else another attempt followed.
 */

export class Lookup {
  #stretches = new Map();

  constructor(found) {
    this.found = found;
    this.runs = new Map(found.runs.map((run) => [run.id, run]));
    this.steps = Map.groupBy(found.steps, (row) => row.run);
    this.dispatches = new Map(found.dispatches.map((row) => [row.dispatchId, row]));
    this.starts = Map.groupBy(found.evidence, placeOfStart);
    this.startsOfRun = Map.groupBy(found.evidence, (start) => start.run);
    this.events = Map.groupBy(found.events, (event) => event.run);
    this.hosts = new Map(found.hosts.map((row) => [`${row.run} ${row.server}`, row]));
    this.keys = new Map(found.steps.map((row) => [`${row.run} ${row.index}`, row.key]));
    this.results = new Map(found.results.map((row) => [this.place(row), row]));
    this.outcomes = this.#outcomes();
    /** Places whose command nobody could speak for at some time: it may run beside what came later. */
    this.lost = new Set(
      [...this.outcomes].filter(([, all]) => all.some(({ status }) => status === 'UNKNOWN')).map(([place]) => place),
    );
  }

  place({ run, index, server }) {
    return `${run} ${this.keys.get(`${run} ${index}`)} ${this.hostOf(run, server)}`;
  }

  hostOf(run, server) {
    return this.hosts.get(`${run} ${server}`)?.host;
  }

  /** The plan of a run as the scenario has it. */
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

  /** The runs in which a step's result counts for this run: its own, and, of a step before those that it resumes from, its parents'. */
  runsThatCount(id, key) {
    const run = this.runs.get(id);
    const resumed = run?.fromStep && run.parent && this.indexOf(id, key) < this.indexOf(id, run.fromStep);
    return [id, ...(resumed ? this.runsThatCount(run.parent, key) : [])];
  }

  /**
   * Which stretch of steps one belongs to: all hosts meet between two of them, and within one each host goes on by itself.
   * By the mode that the run had in the end, which is the one that asks least.
   */
  stretchOf(run, index) {
    if (!this.#stretches.has(run)) this.#stretches.set(run, stretchesOf(this.plan(run), this.runs.get(run)?.mode));
    return this.#stretches.get(run)[index] ?? index;
  }

  /** A place, or a run's id, in words. */
  say(place) {
    const [run, ...rest] = place.split(' ');
    return [this.runs.get(run)?.marker ?? run, ...rest].join(' ');
  }

  /** When a command began, in ms since 1970. */
  beganAt(start) {
    return this.found.bootMs + 1000 * start.startedAt;
  }

  /** What people decided in a run, of these actions. */
  decisions(run, pattern, step) {
    return (this.events.get(run) ?? []).filter(
      ({ type, data }) =>
        type === 'decision.made' && pattern.test(data.action) && (step === undefined || data.stepKey === step),
    );
  }

  /** Where a person asked for a place to be run again. */
  reopenings(place) {
    const [run, step, host] = place.split(' ');
    return this.decisions(run, /^retry/, step).filter(
      ({ data }) => !data.serverIds || data.serverIds.some((server) => this.hostOf(run, server) === host),
    );
  }

  /** @returns {Map<string, Outcome[]>} by place, in order */
  #outcomes() {
    const told = this.found.events.filter(
      // A dry run's results are predictions.
      ({ run, type }) =>
        (type === 'host.finished' || type === 'host.retrying') && this.runs.get(run)?.mode !== 'dry_run',
    );
    const dispatches = Map.groupBy(this.found.dispatches, (row) => this.place(row));
    const dispatchesIn = (place, since, at) =>
      (dispatches.get(place) ?? []).filter((row) => row.at > since && row.at <= at);
    const starts = Map.groupBy(this.found.evidence, (start) => start.dispatchId);
    const places = Map.groupBy(told, ({ run, data }) => `${run} ${data.stepKey} ${this.hostOf(run, data.serverId)}`);
    return new Map(
      [...places].map(([place, events]) => {
        let since = -Infinity;
        const outcomes = events.flatMap(({ type, at, data }, index) => {
          const final = type === 'host.finished';
          const next = events[index + 1];
          const stopped = STOPPED.has(this.runs.get(place.split(' ')[0])?.status);
          if (!final && stopped && isRepeated(data, next, dispatchesIn(place, at, next?.at))) return [];
          const own = dispatchesIn(place, since, at);
          since = at;
          return [
            {
              ...data,
              at,
              final,
              dispatches: own,
              starts: own.flatMap(({ dispatchId }) => starts.get(dispatchId) ?? []),
            },
          ];
        });
        return [place, outcomes];
      }),
    );
  }
}

/** For each step the index of the first one of its stretch. */
function stretchesOf({ strategy, steps } = { steps: [] }, mode) {
  const free = strategy === 'free' && (mode === 'auto' || mode === 'semi_assisted');
  const isMeeting = (step) => !step || !free || step.type === 'gate' || step.runOnce || Boolean(step.batch);
  let first = 0;
  return steps.map((step, index) => {
    const asks = mode === 'semi_assisted' && step.confirm;
    if (isMeeting(step) || isMeeting(steps[index - 1]) || asks) first = index;
    return first;
  });
}

/** A run that is stopped before the next attempt leaves the host with what the attempt before came to. */
const isRepeated = ({ status, exitCode }, next, dispatches) =>
  next?.type === 'host.finished' &&
  next.data.status === status &&
  next.data.exitCode === exitCode &&
  dispatches.length === 0;

export const placeOfStart = (start) => `${start.run} ${start.step} ${start.host}`;
