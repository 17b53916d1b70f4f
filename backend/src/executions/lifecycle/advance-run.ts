import { closed, type Decision, end, mapValues, settle, settledBetween, withOpenHosts } from './settle.js';
import {
  advanceSegment,
  requiresDecision,
  findFreeWork,
  exceedsFailureLimit,
  getNextStepToEnter,
  resultOf,
  failureToDecide,
} from './segment-progress.js';
import { advance, firstBatch, paused } from './next-step.js';
import { isDroppedStatus, countStatuses } from './outcome.js';
import type { Clearance, HostInStep, OpenStep, RunState } from './run-state.js';
import { type Segment, segmentAt } from './segment.js';
import { isHostFinished } from './statuses.js';

/**
 * Continues from the stored state: first the hosts of the open step that have no result yet, in batches, then the next
 * step. Never starts a command again: if it may have been started, the host is asked for its result.
 */
export function advanceRun(state: RunState): Decision {
  const running: RunState = { ...state, status: 'RUNNING', pause: null };
  const [open] = running.open;
  if (!open) return advance(running);
  const segment = segmentAt(running, open.index);
  if (segment) return advanceFreely(running, segment);
  const step = running.steps[open.index];
  const batch = firstBatch(running, open);
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
function advanceFreely(state: RunState, segment: Segment): Decision {
  const advancedState = advanceSegment(state, segment, Object.keys(state.hosts));
  const { clearance } = advancedState;
  const left = findFreeWork(advancedState, ({ status }) => !isHostFinished(status));
  if (left.length > 0) {
    if (clearance.kind === 'clear') return { state: advancedState, effects: left };
    const sent = findFreeWork(advancedState, ({ status, dispatched }) => dispatched && !isHostFinished(status));
    return sent.length > 0 ? { state: advancedState, effects: sent } : pauseForClearance(advancedState, clearance);
  }
  if (advancedState.open.length === 0) return advance(advancedState);
  const failedStep = failureToDecide(advancedState);
  if (failedStep) return pauseForDecision(advancedState, failedStep);
  const index = getNextStepToEnter(advancedState);
  if (clearance.kind !== 'clear' && index !== null) return pauseForClearance(advancedState, clearance);
  if (advancedState.pauseRequestedBy === null || index === null)
    throw new Error('No host has a step to continue with.');
  return paused(advancedState, {
    reason: 'REQUESTED',
    index,
    text: `${advancedState.pauseRequestedBy} asked for a pause.`,
  });
}

/**
 * Advances these hosts within the segment as far as possible. Never pauses or ends the run: other hosts are running.
 */
export function advanceHosts(state: RunState, ids: readonly string[], within: Segment): Decision {
  const [open] = state.open;
  const segment = open ? segmentAt(state, open.index) : null;
  const own = segment && { from: Math.max(segment.from, within.from), to: Math.min(segment.to, within.to) };
  const advancedState = own ? advanceSegment(state, own, ids) : state;
  const failedStep = new Set(ids);
  const left = findFreeWork(advancedState, ({ status }, id) => failedStep.has(id) && !isHostFinished(status));
  return { state: advancedState, effects: left.filter(({ index }) => index >= within.from && index <= within.to) };
}

const continueStep = (state: RunState, index: number, hosts: string[]): Decision => ({
  state,
  effects: [{ type: 'run_step', index, hosts, stopping: false }],
});

export function pauseForClearance(state: RunState, { kind, reason }: Exclude<Clearance, { kind: 'clear' }>): Decision {
  if (kind === 'revoked') return end(settle(state, 'CANCELLED'), 'CANCELLED', reason);
  return paused(state, { reason: 'APPROVAL', index: null, text: reason.text });
}

function closeStep(state: RunState, open: OpenStep): Decision {
  const exceedsLimit = exceedsFailureLimit(state, open);
  if (exceedsLimit && requiresDecision(state, open.index)) return pauseForDecision(state, open);
  return advance(closed(state, open, ...resultOf(state, open, { exceedsLimit, stopped: false })));
}

function pauseForDecision(state: RunState, { index, hosts }: OpenStep): Decision {
  const statuses = Object.values(hosts).map((host) => host.status);
  const text = `${countStatuses(statuses.filter(isDroppedStatus), statuses.length)}.`;
  return paused(state, { reason: 'FAILURE_DECISION', index, text });
}

function dropRemainingHosts(state: RunState, open: OpenStep): [RunState, OpenStep] {
  const hosts = mapValues(
    open.hosts,
    (host): HostInStep => (host.status === 'PENDING' && !host.dispatched ? { ...host, status: 'SKIPPED' } : host),
  );
  const settled = settledBetween(open, hosts);
  return [
    { ...withOpenHosts(state, open.index, hosts), settled, hosts: { ...state.hosts, ...settled[0]?.hosts } },
    { index: open.index, hosts },
  ];
}
