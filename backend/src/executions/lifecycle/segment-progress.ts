import type { Reason } from '../../common/http/reason.view.js';
import { closeOpenStep, replaceStep, replaceOpenHosts } from './settle.js';
import { isDroppedStatus } from './outcome.js';
import type { RunEffect } from './run-event.js';
import type { HostInStep, OpenStep, RunState, StepState } from './run-state.js';
import { type StepSegment, findSegmentAt } from './segment.js';
import { type HostStatus, isHostFinished, type StepStatus } from './statuses.js';
import { isDroppedHost, isAvailable, getOverallStatus, isEligible, wouldBeEligible } from './eligibility.js';

const PENDING_HOST_STATE: HostInStep = { status: 'PENDING', dispatched: false };

/** Steps that hosts may still begin after failures: any, only steps with `always`, or none until a person decides. */
type HostAdmission = 'any' | 'cleanup' | 'none';

/**
 * Moves these hosts to their next steps in the segment as far as the run allows. Ends steps that no other host can
 * enter. Returns the same object when nothing changes.
 */
export function advanceSegment(from: RunState, segment: StepSegment, ids: readonly string[]): RunState {
  let state = from;
  for (;;) {
    const next = endPassedSteps(admitHosts(state, segment, ids));
    if (next === state) return state;
    state = next;
  }
}

/**
 * Index of the next step that a host of the open segment would enter if no pause were requested; null = no such step.
 */
export function getNextStepToEnter(state: RunState): number | null {
  const [open] = state.open;
  const segment = open ? findSegmentAt(state, open.index) : null;
  if (!segment) return null;
  const busy = listBusyHosts(state);
  const admission = getHostAdmission(state);
  const next = Object.keys(state.hosts).flatMap((id) =>
    busy.has(id) ? [] : (findNextStepOfHost(state, segment, id, admission) ?? []),
  );
  return next.length > 0 ? Math.min(...next) : null;
}

/** First open step whose failures exceed its limit and require a decision. */
export const findFailureToDecide = (state: RunState): OpenStep | undefined =>
  state.open.find((step) => requiresDecision(state, step.index) && exceedsFailureLimit(state, step));

export function listFreeWork(
  state: RunState,
  which: (host: HostInStep, id: string) => boolean,
  stopping = false,
): Extract<RunEffect, { type: 'run_step' }>[] {
  return state.open.flatMap(({ index, hosts: all }) => {
    const hosts = Object.keys(all).filter((id) => which(all[id] as HostInStep, id));
    const segment = findSegmentAt(state, index);
    return hosts.length > 0 ? [{ type: 'run_step', index, hosts, stopping, ...(segment && { segment }) }] : [];
  });
}

/** FAILED step after which only steps with `always` run. */
export const findStoppingStep = (state: RunState): StepState | undefined =>
  state.mode === 'dry_run'
    ? undefined
    : state.steps.find((step) => step.status === 'FAILED' && step.policy.onFailure === 'stop');

function admitHosts(state: RunState, segment: StepSegment, ids: readonly string[]): RunState {
  if (state.clearance.kind !== 'clear' || state.pauseRequestedBy !== null) return state;
  const admission = getHostAdmission(state);
  const busy = listBusyHosts(state);
  const enteringHosts = new Map<number, string[]>();
  for (const id of ids) {
    const index = busy.has(id) ? null : findNextStepOfHost(state, segment, id, admission);
    if (index !== null) enteringHosts.set(index, [...(enteringHosts.get(index) ?? []), id]);
  }
  return [...enteringHosts].reduce((before, [index, hosts]) => enterStep(before, index, hosts), state);
}

export function enterStep(state: RunState, index: number, ids: readonly string[]): RunState {
  const openStep = state.open.find((step) => step.index === index);
  const hosts = { ...openStep?.hosts, ...Object.fromEntries(ids.map((id) => [id, PENDING_HOST_STATE])) };
  return {
    ...replaceOpenHosts(state, index, hosts),
    steps: openStep ? state.steps : replaceStep(state.steps, index, { status: 'RUNNING', reason: null }),
    reached:
      state.strategy === 'free'
        ? { ...state.reached, ...Object.fromEntries(ids.map((id) => [id, index])) }
        : state.reached,
  };
}

/** Next step of the segment for a host that is not busy; null = none, or none yet. */
function findNextStepOfHost(
  state: RunState,
  segment: StepSegment,
  id: string,
  admission: HostAdmission,
): number | null {
  if (admission === 'none') return null;
  const failedIn = findFailedStep(state, id);
  // The failure may need a decision. The host's cleanup steps follow only after that.
  if (failedIn && requiresDecision(state, failedIn.index)) return null;
  for (let index = segment.from; index <= segment.to; index += 1) {
    const step = state.steps[index];
    if (!step || (step.status !== 'PENDING' && step.status !== 'RUNNING')) continue;
    if (admission === 'cleanup' && !step.policy.always) continue;
    if (isEligible(state, index, id)) return index;
  }
  return null;
}

function getHostAdmission(state: RunState): HostAdmission {
  const stepsOverLimit = state.open.filter((step) => exceedsFailureLimit(state, step)).map(({ index }) => index);
  if (stepsOverLimit.some((index) => requiresDecision(state, index))) return 'none';
  const stops = stepsOverLimit.some((index) => state.steps[index]?.policy.onFailure === 'stop');
  return stops || findStoppingStep(state) ? 'cleanup' : 'any';
}

export const requiresDecision = ({ mode, steps }: RunState, index: number): boolean =>
  mode !== 'auto' && mode !== 'dry_run' && !steps[index]?.policy.continuesOnFailure;

/**
 * Whether the step's failures exceed its own limit, or else the plan's limit over all hosts of the run. In a dry run
 * one failed host is enough.
 */
export function exceedsFailureLimit(state: RunState, { index, hosts }: OpenStep): boolean {
  if (!Object.values(hosts).some(isDroppedHost)) return false;
  if (state.mode === 'dry_run') return true;
  const { maxFailPercent } = state.steps[index]?.policy ?? { maxFailPercent: null };
  if (maxFailPercent !== null) {
    const failed = Object.values(hosts).filter(({ status }) => isDroppedStatus(status));
    const enteredCount = Object.keys(hosts).length;
    if (failed.length * 100 <= enteredCount * maxFailPercent) return false;
    return failed.length * 100 > (enteredCount + getHostsToEnter(state, { index, hosts }).length) * maxFailPercent;
  }
  // Failures of later steps do not count for this step.
  const stateUpToStep = { ...state, open: state.open.filter((step) => step.index <= index) };
  const ids = Object.keys(state.hosts);
  const dropped = ids.filter((id) => isDroppedStatus(getOverallStatus(stateUpToStep, id)));
  return dropped.length * 100 > ids.length * state.maxFailPercent;
}

/** Hosts that may still enter the step; empty for a barrier step. */
function getHostsToEnter(state: RunState, { index, hosts }: OpenStep): string[] {
  if (!findSegmentAt(state, index)) return [];
  const busy = listBusyHosts(state);
  const mayStillEnter = (id: string): boolean => {
    // The result of the host's current step is not known yet.
    if (busy.has(id)) return isAvailable(state, index, id);
    // A decision (retry or skip) may still bring the host to this step.
    const failedIn = getOverallStatus(state, id) === 'PENDING' ? undefined : findFailedStep(state, id);
    if (failedIn && requiresDecision(state, failedIn.index)) return isAvailable({ ...state, open: [] }, index, id);
    return isEligible(state, index, id);
  };
  return state.steps[index]?.targets.filter((id) => !hosts[id] && mayStillEnter(id)) ?? [];
}

const findFailedStep = (state: RunState, id: string): OpenStep | undefined =>
  state.open.find(({ hosts }) => isDroppedHost(hosts[id]));

function endPassedSteps(from: RunState): RunState {
  // A partial state lacks hosts that may be in the step or may still enter it.
  if (from.partial) return from;
  let state = from;
  for (const step of from.open) {
    const { index, hosts } = step;
    if (!Object.values(hosts).every(({ status }) => isHostFinished(status))) continue;
    const admission = getHostAdmission(state);
    const stopped = admission === 'cleanup' && !state.steps[index]?.policy.always;
    if (!stopped && getHostsToEnter(state, step).length > 0) continue;
    const exceedsLimit = exceedsFailureLimit(state, step);
    if (exceedsLimit && requiresDecision(state, index)) continue;
    const [status, reason] = computeStepResult(state, step, { exceedsLimit, stopped });
    state = closeOpenStep(state, step, status, reason);
  }
  return state;
}

const ANOTHER_FAILED_REASON: Reason = {
  code: 'another_step_failed',
  text: 'Another step failed before all hosts reached this step.',
};

/**
 * Status and reason of a step that has a result for every host in it. `stopped`: a failure of another step kept other
 * hosts from entering.
 */
export function computeStepResult(
  state: RunState,
  { index, hosts }: OpenStep,
  { exceedsLimit, stopped }: { exceedsLimit: boolean; stopped: boolean },
): [StepStatus, Reason | null] {
  const statuses = Object.values(hosts).map(({ status }) => status);
  if (exceedsLimit) return ['FAILED', null];
  const isMissing = (id: string): boolean => !hosts[id] && wouldBeEligible(state, index, id);
  if (stopped && state.steps[index]?.targets.some(isMissing)) return ['PARTIALLY_SUCCEEDED', ANOTHER_FAILED_REASON];
  if (statuses.some(isDroppedStatus)) return ['PARTIALLY_SUCCEEDED', state.steps[index]?.reason ?? null];
  return [computeSettledStatus(statuses), null];
}

const computeSettledStatus = (statuses: readonly HostStatus[]): StepStatus =>
  statuses.length > 0 && statuses.every((status) => status === 'SKIPPED') ? 'SKIPPED' : 'SUCCEEDED';

function listBusyHosts({ open }: RunState): ReadonlySet<string> {
  const known = busyHostsByOpenSteps.get(open);
  if (known) return known;
  const busy = new Set<string>();
  for (const { hosts } of open)
    for (const id in hosts) if (!isHostFinished(hosts[id]?.status ?? 'UNKNOWN')) busy.add(id);
  busyHostsByOpenSteps.set(open, busy);
  return busy;
}

/** Cache per list of open steps: one decision needs the busy hosts many times. */
const busyHostsByOpenSteps = new WeakMap<RunState['open'], ReadonlySet<string>>();
