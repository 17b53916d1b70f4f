import { dropsOut } from '../lifecycle/outcome.js';
import type { HostStatus } from '../lifecycle/statuses.js';
import type { StepReference } from './step-references.js';

/** What a step came to on a host, in the run that is continued or in the one that it took it from. */
export interface EarlierResult {
  status: HostStatus;
  changed: boolean;
  /** Whose result it is. */
  from: string;
  /** Index of the step there. */
  step: number;
}

/** By step key and server id. */
export type EarlierResults = ReadonlyMap<string, ReadonlyMap<string, EarlierResult>>;

/** A step of the run that is about to begin. */
export interface ContinuedStep {
  key: string;
  gate: boolean;
  /** A gate that stands for work which the plan lacks. */
  placeholder: boolean;
  runOnce: boolean;
  always: boolean;
  onlyIfChanged: readonly string[];
  references: readonly StepReference[];
  targets: ReadonlySet<string>;
  /** It would do what it did then: neither its text nor any value differs. Only looked at by a start that resumes. */
  same: boolean;
  /** A person skipped it then. */
  waived: boolean;
}

/** Where a run goes on from. */
export interface Start {
  /** Index of the first step; the ones before are left out. */
  fromStep: number;
  /** What a host has done is not run there again. */
  resumes: boolean;
}

/** A step and hosts, for something to be told of both. */
export interface HostTasks {
  step: number;
  hosts: string[];
}

/** What a run that continues another one does, takes over, and leaves undone. */
export interface Continuation {
  /** Steps that run on some host at most, with the hosts. */
  runs: HostTasks[];
  /** Of these, where it had been done before. */
  repeats: HostTasks[];
  /** Hosts that have done the step before and do not run it. */
  done: HostTasks[];
  /** Results that a step needs of one that does not run any more, and that are not there. */
  missing: (HostTasks & { needs: string })[];
  /** Results to be taken over: of steps that later ones look back at. */
  needed: HostTasks[];
}

const NONE: ReadonlyMap<string, EarlierResult> = new Map();

const succeeded = (result: EarlierResult | undefined): boolean => result !== undefined && !dropsOut(result.status);

/** What the results of an earlier run say about its steps. */
class PriorResults {
  constructor(
    private readonly steps: readonly ContinuedStep[],
    private readonly results: EarlierResults,
  ) {}

  /** The result that speaks for the host; of a step that runs once, that of whoever ran it. */
  of(step: ContinuedStep, host: string): EarlierResult | undefined {
    const all = this.results.get(step.key) ?? NONE;
    const own = all.get(host);
    if (own || !step.runOnce) return own;
    return [...all.values()].find((result) => succeeded(result)) ?? [...all.values()][0];
  }

  /** Whether anything after the step has a result: then a gate had been passed. */
  wasPassed(index: number): boolean {
    return this.steps.slice(index + 1).some(({ key }) => (this.results.get(key)?.size ?? 0) > 0);
  }

  isDone(step: ContinuedStep, host: string): boolean {
    return step.waived || succeeded(this.of(step, host));
  }

  /** A handler has nothing to do where none of its steps changed the host, nor comes to. */
  isWanted(step: ContinuedStep, host: string, toCome: ReadonlySet<string>): boolean {
    if (step.onlyIfChanged.length === 0) return true;
    return step.onlyIfChanged.some((key) => toCome.has(key) || this.results.get(key)?.get(host)?.changed === true);
  }

  /** Somebody else ran a step that runs once, and it failed there: it is theirs to do again. */
  isOthers(step: ContinuedStep, host: string): boolean {
    const all = this.results.get(step.key) ?? NONE;
    return step.runOnce && all.size > 0 && !all.has(host);
  }
}

/**
 * The steps that each host lacks: where it failed, was not reached, or that never ran there although nothing said that
 * they need not. Hosts that lack none are left out.
 */
export function unfinishedSteps(
  steps: readonly ContinuedStep[],
  results: EarlierResults,
  hosts: readonly string[],
): Map<string, number[]> {
  const prior = new PriorResults(steps, results);
  const unfinished = new Map<string, number[]>();
  for (const host of hosts) {
    const lacking = new Set<string>();
    const indexes: number[] = [];
    steps.forEach((step, index) => {
      if (step.gate || !step.targets.has(host) || prior.isDone(step, host)) return;
      if (!prior.isWanted(step, host, lacking) || prior.isOthers(step, host)) return;
      lacking.add(step.key);
      indexes.push(index);
    });
    if (indexes.length > 0) unfinished.set(host, indexes);
  }
  return unfinished;
}

/** What a run on these hosts does when it begins there, by the results that there are. */
export function continuationOf(
  steps: readonly ContinuedStep[],
  results: EarlierResults,
  hosts: readonly string[],
  { fromStep, resumes }: Start,
): Continuation {
  const prior = new PriorResults(steps, results);
  const runs = steps.map((): string[] => []);
  const repeats = steps.map((): string[] => []);
  const done = steps.map((): string[] => []);
  const missing = new Map<string, HostTasks & { needs: string }>();
  const needed = steps.map(() => new Set<string>());
  const indexes = new Map(steps.map(({ key }, index) => [key, index]));
  for (const host of hosts) {
    const running = new Set<string>();
    steps.forEach((step, index) => {
      if (step.gate || !step.targets.has(host) || index < fromStep) return;
      const before = prior.isDone(step, host);
      if (resumes && before && step.same && !isRenewed(step, running)) {
        done[index]?.push(host);
        return;
      }
      if (!prior.isWanted(step, host, running)) return;
      running.add(step.key);
      runs[index]?.push(host);
      if (before) repeats[index]?.push(host);
      for (const { key, outputs } of step.references) {
        const earlier = steps[indexes.get(key) ?? -1];
        if (!earlier || running.has(key)) continue;
        const result = prior.of(earlier, host);
        if (result) needed[indexes.get(key) ?? -1]?.add(host);
        const lacks = result ? outputs.length > 0 && dropsOut(result.status) : isExpected(prior, earlier, host);
        if (!lacks || earlier.waived) continue;
        const place = `${index} ${key}`;
        const known = missing.get(place) ?? { step: index, needs: key, hosts: [] };
        known.hosts.push(host);
        missing.set(place, known);
      }
    });
  }
  return {
    runs: listed(runs),
    repeats: listed(repeats),
    done: listed(done),
    missing: [...missing.values()],
    needed: listed(needed.map((each) => [...each])),
  };
}

/** Cleaning up follows whatever is run again, and so does a handler, and a step that was skipped by what runs again. */
const isRenewed = (step: ContinuedStep, running: ReadonlySet<string>): boolean =>
  (step.always && running.size > 0) ||
  step.onlyIfChanged.some((key) => running.has(key)) ||
  step.references.some(({ key }) => running.has(key));

/** Whether the step would have a result on the host if it had run to its end. */
const isExpected = (prior: PriorResults, step: ContinuedStep, host: string): boolean =>
  !step.gate && (step.runOnce || step.targets.has(host)) && prior.isWanted(step, host, new Set());

const listed = (hosts: readonly string[][]): HostTasks[] =>
  hosts.flatMap((each, step) => (each.length > 0 ? [{ step, hosts: each }] : []));

/** Steps that no host of the run comes to, because all of theirs have done them: gates before anything runs among them. */
export function passedOver(
  steps: readonly ContinuedStep[],
  results: EarlierResults,
  { runs, done }: Pick<Continuation, 'runs' | 'done'>,
  resumes: boolean,
): number[] {
  if (!resumes) return [];
  const prior = new PriorResults(steps, results);
  const first = Math.min(...runs.map(({ step }) => step), steps.length);
  const running = new Set(runs.map(({ step }) => step));
  return steps.flatMap((step, index) => {
    if (step.placeholder) return [];
    if (step.gate) return index < first && prior.wasPassed(index) ? [index] : [];
    return !running.has(index) && done.some((each) => each.step === index) ? [index] : [];
  });
}
