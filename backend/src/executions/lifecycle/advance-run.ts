import {
  closeOpenStep,
  type RunDecision,
  endRun,
  mapValues,
  settleOpenHosts,
  listSettledHosts,
  replaceOpenHosts,
} from './settle.js';
import {
  advanceSegment,
  requiresDecision,
  listFreeWork,
  exceedsFailureLimit,
  getNextStepToEnter,
  computeStepResult,
  findFailureToDecide,
} from './segment-progress.js';
import { advanceToNextStep, listFirstBatch, pauseRun } from './next-step.js';
import { isDroppedStatus, describeStatusCounts } from './outcome.js';
import type { RunClearance, HostInStep, OpenStep, RunState } from './run-state.js';
import { type StepSegment, findSegmentAt } from './segment.js';
import { isHostFinished } from './statuses.js';

/**
 * Continues from the stored state: first the hosts of the open step that have no result yet, in batches, then the next
 * step. Never starts a command again: if it may have been started, the host is asked for its result.
 */
export function advanceRun(state: RunState): RunDecision {
  const running: RunState = { ...state, status: 'RUNNING', pause: null };
  const [open] = running.open;
  if (!open) return advanceToNextStep(running);
  const segment = findSegmentAt(running, open.index);
  if (segment) return advanceFreeSegment(running, segment);
  const step = running.steps[open.index];
  const batch = listFirstBatch(running, open);
  if (!step || batch.length === 0) return closeStep(running, open);
  // A dry run ignores the failure limit: it computes a verdict for each host.
  const hasFailedEnough = running.mode !== 'dry_run' && step.policy.batch && exceedsFailureLimit(running, open);
  const begun = batch.filter((id) => open.hosts[id]?.status !== 'PENDING' || open.hosts[id]?.dispatched);
  if (hasFailedEnough && begun.length === 0) return closeStep(...dropRemainingHosts(running, open));
  const hosts = hasFailedEnough ? begun : batch;
  if (running.clearance.kind === 'clear' || running.mode === 'dry_run') return continueStep(running, open.index, hosts);
  // The run may no longer continue: commands that were sent get their result, and nothing new is sent.
  const sent = hosts.filter((id) => open.hosts[id]?.dispatched);
  if (sent.length > 0) return continueStep(running, open.index, sent);
  return pauseForClearance(running, running.clearance);
}

/** Like `advanceRun`, for a segment in which hosts advance independently. */
function advanceFreeSegment(state: RunState, segment: StepSegment): RunDecision {
  const advancedState = advanceSegment(state, segment, Object.keys(state.hosts));
  const { clearance } = advancedState;
  const left = listFreeWork(advancedState, ({ status }) => !isHostFinished(status));
  if (left.length > 0) {
    if (clearance.kind === 'clear') return { state: advancedState, effects: left };
    const sent = listFreeWork(advancedState, ({ status, dispatched }) => dispatched && !isHostFinished(status));
    return sent.length > 0 ? { state: advancedState, effects: sent } : pauseForClearance(advancedState, clearance);
  }
  if (advancedState.open.length === 0) return advanceToNextStep(advancedState);
  const failedStep = findFailureToDecide(advancedState);
  if (failedStep) return pauseForDecision(advancedState, failedStep);
  const index = getNextStepToEnter(advancedState);
  if (clearance.kind !== 'clear' && index !== null) return pauseForClearance(advancedState, clearance);
  if (advancedState.pauseRequestedBy === null || index === null)
    throw new Error('No host has a step to continue with.');
  return pauseRun(advancedState, {
    reason: 'REQUESTED',
    index,
    text: `${advancedState.pauseRequestedBy.name} asked for a pause.`,
  });
}

/**
 * Advances these hosts within the segment as far as possible. Never pauses or ends the run: other hosts are running.
 */
export function advanceHosts(state: RunState, ids: readonly string[], within: StepSegment): RunDecision {
  const [open] = state.open;
  const segment = open ? findSegmentAt(state, open.index) : null;
  const own = segment && { from: Math.max(segment.from, within.from), to: Math.min(segment.to, within.to) };
  const advancedState = own ? advanceSegment(state, own, ids) : state;
  const failedStep = new Set(ids);
  const left = listFreeWork(advancedState, ({ status }, id) => failedStep.has(id) && !isHostFinished(status));
  return { state: advancedState, effects: left.filter(({ index }) => index >= within.from && index <= within.to) };
}

const continueStep = (state: RunState, index: number, hosts: string[]): RunDecision => ({
  state,
  effects: [{ type: 'run_step', index, hosts, stopping: false }],
});

export function pauseForClearance(
  state: RunState,
  { kind, reason }: Exclude<RunClearance, { kind: 'clear' }>,
): RunDecision {
  if (kind === 'revoked') return endRun(settleOpenHosts(state, 'CANCELLED'), 'CANCELLED', reason);
  return pauseRun(state, { reason: 'APPROVAL', index: null, text: reason.text });
}

function closeStep(state: RunState, open: OpenStep): RunDecision {
  const exceedsLimit = exceedsFailureLimit(state, open);
  if (exceedsLimit && requiresDecision(state, open.index)) return pauseForDecision(state, open);
  return advanceToNextStep(
    closeOpenStep(state, open, ...computeStepResult(state, open, { exceedsLimit, stopped: false })),
  );
}

function pauseForDecision(state: RunState, { index, hosts }: OpenStep): RunDecision {
  const statuses = Object.values(hosts).map((host) => host.status);
  const text = `${describeStatusCounts(statuses.filter(isDroppedStatus), statuses.length)}.`;
  return pauseRun(state, { reason: 'FAILURE_DECISION', index, text });
}

function dropRemainingHosts(state: RunState, open: OpenStep): [RunState, OpenStep] {
  const hosts = mapValues(
    open.hosts,
    (host): HostInStep => (host.status === 'PENDING' && !host.dispatched ? { ...host, status: 'SKIPPED' } : host),
  );
  const settled = listSettledHosts(open, hosts);
  return [
    { ...replaceOpenHosts(state, open.index, hosts), settled, hosts: { ...state.hosts, ...settled[0]?.hosts } },
    { index: open.index, hosts },
  ];
}
