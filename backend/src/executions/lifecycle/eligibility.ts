import { isDroppedStatus } from './outcome.js';
import type { HostInStep, RunState, StepState } from './run-state.js';
import type { HostStatus } from './statuses.js';

/** Statuses of hosts that still run cleanup steps: reachable, and no command of the run can be running there. */
const CLEANUP_STATUSES: ReadonlySet<HostStatus> = new Set(['PENDING', 'FAILED', 'TIMED_OUT']);

/** Whether the host failed in an open step and no person has decided on that failure yet. */
export const isDroppedHost = (host: HostInStep | undefined): boolean =>
  host !== undefined && isDroppedStatus(host.status) && !host.answered;

/** Includes failures in steps that are still open. */
export function getOverallStatus(state: RunState, id: string): HostStatus {
  const overall = state.hosts[id] ?? 'PENDING';
  if (overall !== 'PENDING') return overall;
  return findFailures(state.open).get(id) ?? overall;
}

function findFailures(open: RunState['open']): ReadonlyMap<string, HostStatus> {
  const known = failuresByOpenSteps.get(open);
  if (known) return known;
  const failed = new Map<string, HostStatus>();
  for (const { hosts } of open)
    for (const [id, host] of Object.entries(hosts))
      if (isDroppedHost(host) && !failed.has(id)) failed.set(id, host.status);
  failuresByOpenSteps.set(open, failed);
  return failed;
}

/** Cache per list of open steps: one decision reads it for each host and step. */
const failuresByOpenSteps = new WeakMap<RunState['open'], ReadonlyMap<string, HostStatus>>();

export function listEligibleHosts(state: RunState, index: number): readonly string[] {
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
  if (!step || !isTargetHost(step, id) || hasInheritedResult(state, step, id)) return false;
  return state.mode === 'dry_run' || (matchesPolicy(state, step, id) && isTriggered(state, step, id));
}

/**
 * Whether the host may still run the step, ignoring `onlyIfChanged`: earlier steps may still change something on the
 * host.
 */
export function isAvailable(state: RunState, index: number, id: string): boolean {
  const step = state.steps[index];
  if (!step || hasInheritedResult(state, step, id)) return false;
  return isTargetHost(step, id) && matchesPolicy(state, step, id) && !isPastStep(state, index, id);
}

function matchesPolicy(state: RunState, { policy }: StepState, id: string): boolean {
  const overall = getOverallStatus(state, id);
  return policy.always ? CLEANUP_STATUSES.has(overall) : overall === 'PENDING';
}

const isPastStep = ({ reached }: RunState, index: number, id: string): boolean => (reached[id] ?? -1) >= index;

const isTargetHost = (step: StepState, id: string): boolean => toCachedSet(step.targets).has(id);

const hasInheritedResult = ({ done }: RunState, { key }: StepState, id: string): boolean =>
  toCachedSet(done[key] ?? NO_HOSTS).has(id);

function isTriggered({ changed }: RunState, { policy }: StepState, id: string): boolean {
  if (policy.onlyIfChanged.length === 0) return true;
  return policy.onlyIfChanged.some((key) => toCachedSet(changed[key] ?? NO_HOSTS).has(id));
}

const NO_HOSTS: readonly string[] = [];
const setByArray = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Cached: a free plan searches each list for each host and step, which would take quadratic time. */
function toCachedSet(ids: readonly string[]): ReadonlySet<string> {
  const known = setByArray.get(ids);
  if (known) return known;
  const set = new Set(ids);
  setByArray.set(ids, set);
  return set;
}
