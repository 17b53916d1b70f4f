import { isDroppedStatus } from './outcome.js';
import type { HostInStep, RunState, StepState } from './run-state.js';
import type { HostStatus } from './statuses.js';

/** Statuses of hosts that still run cleanup steps: reachable, and no command of the run can be running there. */
const CLEANUP_STATUSES: ReadonlySet<HostStatus> = new Set(['PENDING', 'FAILED', 'TIMED_OUT']);

/** Whether the host failed in an open step and no person has decided on that failure yet. */
export const hasFailed = (host: HostInStep | undefined): boolean =>
  host !== undefined && isDroppedStatus(host.status) && !host.answered;

/** Includes failures in steps that are still open. */
export function overallStatusOf(state: RunState, id: string): HostStatus {
  const overall = state.hosts[id] ?? 'PENDING';
  if (overall !== 'PENDING') return overall;
  return failuresIn(state.open).get(id) ?? overall;
}

function failuresIn(open: RunState['open']): ReadonlyMap<string, HostStatus> {
  const known = failures.get(open);
  if (known) return known;
  const failed = new Map<string, HostStatus>();
  for (const { hosts } of open)
    for (const [id, host] of Object.entries(hosts)) if (hasFailed(host) && !failed.has(id)) failed.set(id, host.status);
  failures.set(open, failed);
  return failed;
}

/** Cache per list of open steps: one decision reads it for each host and step. */
const failures = new WeakMap<RunState['open'], ReadonlyMap<string, HostStatus>>();

export function hostsOf(state: RunState, index: number): readonly string[] {
  const step = state.steps[index];
  if (!step) return [];
  const hosts = step.targets.filter((id) => isEligible(state, index, id));
  return step.policy.runOnce ? hosts.slice(0, 1) : hosts;
}

export const isEligible = (state: RunState, index: number, id: string): boolean =>
  wouldBeEligible(state, index, id) && !isPastStep(state, index, id);

/** Like `isEligible`, but also true for a host that has passed the step. */
export function wouldBeEligible(state: RunState, index: number, id: string): boolean {
  const step = state.steps[index];
  if (!step || !isTarget(step, id) || isDone(state, step, id)) return false;
  return state.mode === 'dry_run' || (fitsPolicy(state, step, id) && isTriggered(state, step, id));
}

/**
 * Whether the host may still run the step, ignoring `onlyIfChanged`: earlier steps may still change something on the
 * host.
 */
export function isAvailable(state: RunState, index: number, id: string): boolean {
  const step = state.steps[index];
  if (!step || isDone(state, step, id)) return false;
  return isTarget(step, id) && fitsPolicy(state, step, id) && !isPastStep(state, index, id);
}

function fitsPolicy(state: RunState, { policy }: StepState, id: string): boolean {
  const overall = overallStatusOf(state, id);
  return policy.always ? CLEANUP_STATUSES.has(overall) : overall === 'PENDING';
}

const isPastStep = ({ reached }: RunState, index: number, id: string): boolean => (reached[id] ?? -1) >= index;

const isTarget = (step: StepState, id: string): boolean => setOf(step.targets).has(id);

const isDone = ({ done }: RunState, { key }: StepState, id: string): boolean => setOf(done[key] ?? NO_HOSTS).has(id);

function isTriggered({ changed }: RunState, { policy }: StepState, id: string): boolean {
  if (policy.onlyIfChanged.length === 0) return true;
  return policy.onlyIfChanged.some((key) => setOf(changed[key] ?? NO_HOSTS).has(id));
}

const NO_HOSTS: readonly string[] = [];
const setCache = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Cached: a free plan searches each list for each host and step, which would take quadratic time. */
function setOf(ids: readonly string[]): ReadonlySet<string> {
  const known = setCache.get(ids);
  if (known) return known;
  const set = new Set(ids);
  setCache.set(ids, set);
  return set;
}
