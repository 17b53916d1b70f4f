import { isDroppedStatus } from '../lifecycle/outcome.js';
import type { HostStatus } from '../lifecycle/statuses.js';
import type { StepReference } from './step-references.js';

/**
 * Result of a step on a host. It comes from the original run, or from the run from which the original run inherited it.
 */
export interface EarlierResult {
  status: HostStatus;
  changed: boolean;
  from: string;
  step: number;
}

export type EarlierResults = ReadonlyMap<string, ReadonlyMap<string, EarlierResult>>;

export interface ContinuedStep {
  key: string;
  gate: boolean;
  /** Whether the step is a gate that replaces work which the plan lacks. */
  placeholder: boolean;
  runOnce: boolean;
  always: boolean;
  onlyIfChanged: readonly string[];
  references: readonly StepReference[];
  targets: ReadonlySet<string>;
  /** Whether text and values are the same as in the original run. Only read when the rerun resumes. */
  same: boolean;
  /** Whether a person skipped the step in the original run. */
  waived: boolean;
}

export interface RerunStartPoint {
  fromStep: number;
  resumes: boolean;
}

export interface StepHostIds {
  step: number;
  hosts: string[];
}

export interface Continuation {
  /** Steps to run, with their hosts. Conditions of the steps can still exclude hosts. */
  runs: StepHostIds[];
  /** Part of `runs`: hosts that had done the step before. */
  repeats: StepHostIds[];
  done: StepHostIds[];
  /** Missing results: a step reads them, but the step that produces them is not run. */
  missing: (StepHostIds & { needs: string })[];
  needed: StepHostIds[];
}

const NO_RESULTS: ReadonlyMap<string, EarlierResult> = new Map();

const hasSucceeded = (result: EarlierResult | undefined): boolean =>
  result !== undefined && !isDroppedStatus(result.status);

class PriorResults {
  constructor(
    private readonly steps: readonly ContinuedStep[],
    private readonly results: EarlierResults,
  ) {}

  /** Returns the result for the host. For a step that runs once, returns the result of the host that ran it. */
  getResult(step: ContinuedStep, host: string): EarlierResult | undefined {
    const all = this.results.get(step.key) ?? NO_RESULTS;
    const own = all.get(host);
    if (own || !step.runOnce) return own;
    return [...all.values()].find((result) => hasSucceeded(result)) ?? [...all.values()][0];
  }

  /** Returns whether the gate was passed: a later step has a result. */
  wasPassedOver(index: number): boolean {
    return this.steps.slice(index + 1).some(({ key }) => (this.results.get(key)?.size ?? 0) > 0);
  }

  hasCompletedStep(step: ContinuedStep, host: string): boolean {
    return step.waived || hasSucceeded(this.getResult(step, host));
  }

  /** Returns false for a handler if none of its steps changed the host or is in `pendingSteps`. */
  isStepTriggered(step: ContinuedStep, host: string, pendingSteps: ReadonlySet<string>): boolean {
    if (step.onlyIfChanged.length === 0) return true;
    return step.onlyIfChanged.some(
      (key) => pendingSteps.has(key) || this.results.get(key)?.get(host)?.changed === true,
    );
  }

  hasRunOnAnotherHost(step: ContinuedStep, host: string): boolean {
    const all = this.results.get(step.key) ?? NO_RESULTS;
    return step.runOnce && all.size > 0 && !all.has(host);
  }
}

/**
 * Returns the indexes of unfinished steps by host: steps that failed, were not reached, or never ran without a reason
 * to skip. Omits hosts without such steps.
 */
export function listUnfinishedSteps(
  steps: readonly ContinuedStep[],
  results: EarlierResults,
  hosts: readonly string[],
): Map<string, number[]> {
  const priorResults = new PriorResults(steps, results);
  const unfinished = new Map<string, number[]>();
  for (const host of hosts) {
    const hostsWithoutResult = new Set<string>();
    const indexes: number[] = [];
    steps.forEach((step, index) => {
      if (step.gate || !step.targets.has(host) || priorResults.hasCompletedStep(step, host)) return;
      if (!priorResults.isStepTriggered(step, host, hostsWithoutResult) || priorResults.hasRunOnAnotherHost(step, host))
        return;
      hostsWithoutResult.add(step.key);
      indexes.push(index);
    });
    if (indexes.length > 0) unfinished.set(host, indexes);
  }
  return unfinished;
}

export function planContinuation(
  steps: readonly ContinuedStep[],
  results: EarlierResults,
  hosts: readonly string[],
  { fromStep, resumes }: RerunStartPoint,
): Continuation {
  const priorResults = new PriorResults(steps, results);
  const runs = steps.map((): string[] => []);
  const repeats = steps.map((): string[] => []);
  const done = steps.map((): string[] => []);
  const missing = new Map<string, StepHostIds & { needs: string }>();
  const needed = steps.map(() => new Set<string>());
  const indexes = new Map(steps.map(({ key }, index) => [key, index]));
  for (const host of hosts) {
    const running = new Set<string>();
    steps.forEach((step, index) => {
      if (step.gate || !step.targets.has(host) || index < fromStep) return;
      const before = priorResults.hasCompletedStep(step, host);
      if (resumes && before && step.same && !isRepeatedStep(step, running)) {
        done[index]?.push(host);
        return;
      }
      if (!priorResults.isStepTriggered(step, host, running)) return;
      running.add(step.key);
      runs[index]?.push(host);
      if (before) repeats[index]?.push(host);
      for (const { key, outputs } of step.references) {
        const earlier = steps[indexes.get(key) ?? -1];
        if (!earlier || running.has(key)) continue;
        const result = priorResults.getResult(earlier, host);
        if (result) needed[indexes.get(key) ?? -1]?.add(host);
        const lacks = result
          ? outputs.length > 0 && isDroppedStatus(result.status)
          : isResultExpected(priorResults, earlier, host);
        if (!lacks || earlier.waived) continue;
        const pair = `${index} ${key}`;
        const known = missing.get(pair) ?? { step: index, needs: key, hosts: [] };
        known.hosts.push(host);
        missing.set(pair, known);
      }
    });
  }
  return {
    runs: toStepHostIds(runs),
    repeats: toStepHostIds(repeats),
    done: toStepHostIds(done),
    missing: [...missing.values()],
    needed: toStepHostIds(needed.map((each) => [...each])),
  };
}

/**
 * Whether a step runs again because another one does: cleanup after any step, and handlers and readers of a repeated
 * step.
 */
const isRepeatedStep = (step: ContinuedStep, running: ReadonlySet<string>): boolean =>
  (step.always && running.size > 0) ||
  step.onlyIfChanged.some((key) => running.has(key)) ||
  step.references.some(({ key }) => running.has(key));

/** Returns whether the step would have a result on the host if the run had finished. */
const isResultExpected = (priorResults: PriorResults, step: ContinuedStep, host: string): boolean =>
  !step.gate && (step.runOnce || step.targets.has(host)) && priorResults.isStepTriggered(step, host, new Set());

const toStepHostIds = (hosts: readonly string[][]): StepHostIds[] =>
  hosts.flatMap((each, step) => (each.length > 0 ? [{ step, hosts: each }] : []));

/**
 * Returns the steps that run on no host because all hosts have done them, and the gates before the first step that
 * runs.
 */
export function listPassedOverSteps(
  steps: readonly ContinuedStep[],
  results: EarlierResults,
  { runs, done }: Pick<Continuation, 'runs' | 'done'>,
  resumes: boolean,
): number[] {
  if (!resumes) return [];
  const priorResults = new PriorResults(steps, results);
  const first = Math.min(...runs.map(({ step }) => step), steps.length);
  const running = new Set(runs.map(({ step }) => step));
  return steps.flatMap((step, index) => {
    if (step.placeholder) return [];
    if (step.gate) return index < first && priorResults.wasPassedOver(index) ? [index] : [];
    return !running.has(index) && done.some((each) => each.step === index) ? [index] : [];
  });
}
