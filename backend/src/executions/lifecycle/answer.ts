import type { Reason } from '../../common/http/reason.view.js';
import { type RunDecision, mapValues, replaceStep, computeOverallStatuses, replaceOpenHosts } from './settle.js';
import { isDroppedStatus } from './outcome.js';
import type { HostInStep, OpenStep, RunState } from './run-state.js';
import type { RunEvent } from './run-event.js';
import { findSegmentAt } from './segment.js';
import { PAUSE_ACTIONS } from './statuses.js';
import { isDroppedHost } from './eligibility.js';

type DecisionEvent = Extract<RunEvent, { type: 'decided' }>;

/**
 * Applies a person's answer to a pause. The caller has verified that the run waits for an answer and allows this
 * action. Ignores named hosts that are not in the current step.
 */
export function applyDecision(state: RunState, event: DecisionEvent): RunDecision {
  const { pause } = state;
  if (!pause || !PAUSE_ACTIONS[pause.reason].includes(event.action)) return { state, effects: [] };
  if (event.action === 'abort') return { state: abortRun(state, event), effects: [{ type: 'enqueue' }] };
  const runningState: RunState = { ...state, status: 'RUNNING', pause: null, reason: null };
  const index = pause.index ?? 0;
  const open = pause.reason === 'FAILURE_DECISION' ? state.open.find((step) => step.index === index) : undefined;
  // A segment's step may already be RUNNING: hosts can reach it before the pause.
  const waiting = state.steps[index]?.status === 'RUNNING' ? {} : { status: 'PENDING' as const };
  const named = event.serverIds && new Set(event.serverIds);
  switch (event.action) {
    case 'proceed':
      return resumeRun({
        ...runningState,
        steps: replaceStep(runningState.steps, index, { ...waiting, confirmed: true }),
      });
    case 'retry':
      return resumeRun(reopenHosts(runningState, open, (id, host) => named?.has(id) ?? isUnansweredFailure(host)));
    case 'retry_failed':
      return resumeRun(
        reopenHosts(runningState, open, (id, host) => shouldRetryHost(runningState, id, host, named?.has(id))),
      );
    case 'exclude_hosts':
      return resumeRun(excludeHosts(runningState, open, event));
    case 'skip':
      return resumeRun(skipStep(runningState, open, event));
  }
}

/**
 * Whether to run the host again: it failed, or was not started because of the failure. A host with an unknown result
 * must be named, because its command may still run.
 */
function shouldRetryHost({ hosts }: RunState, id: string, host: HostInStep, named: boolean | undefined): boolean {
  if (host.status === 'SKIPPED' && hosts[id] === 'SKIPPED') return named !== false;
  if (!isDroppedStatus(host.status)) return false;
  return host.status === 'UNKNOWN' || host.answered ? named === true : named !== false;
}

/**
 * Whether a retry that names no hosts includes this host: its command cannot be running, and no person has decided on
 * its failure.
 */
const isUnansweredFailure = ({ status, answered }: HostInStep): boolean => status !== 'UNKNOWN' && !answered;

const resumeRun = (state: RunState): RunDecision => ({ state, effects: [{ type: 'enqueue' }] });

function reopenHosts(
  state: RunState,
  open: OpenStep | undefined,
  which: (id: string, host: HostInStep) => boolean,
): RunState {
  if (!open) return state;
  const { index } = open;
  // Never reruns a step on a host that has passed it: later steps depend on its result.
  const ids = Object.keys(open.hosts).filter(
    (id) => (state.reached[id] ?? index) <= index && which(id, open.hosts[id] as HostInStep),
  );
  const again = new Set(ids);
  const skippedIds = ids.filter((id) => state.hosts[id] === 'SKIPPED');
  const hosts = Object.fromEntries(
    Object.entries(open.hosts).map(([id, host]): [string, HostInStep] => [
      id,
      again.has(id) ? { status: 'PENDING', dispatched: false } : host,
    ]),
  );
  return {
    ...replaceOpenHosts(state, index, hosts),
    // Only SKIPPED hosts return to PENDING. A host that failed an earlier step keeps that status: this step only cleans
    // it up.
    hosts: { ...state.hosts, ...Object.fromEntries(skippedIds.map((id) => [id, 'PENDING' as const])) },
    reopened: { index, hosts: ids },
    steps: replaceStep(state.steps, index, { status: 'RUNNING', reason: null }),
  };
}

function excludeHosts(state: RunState, open: OpenStep | undefined, event: DecisionEvent): RunState {
  if (!open) return state;
  const named = (event.serverIds ?? []).filter((id) => open.hosts[id] && !isDroppedStatus(open.hosts[id].status));
  const late = Object.values(open.hosts).some(({ status }) => status === 'SKIPPED');
  const affectedHosts = late ? 'the hosts that failed and the hosts that had not begun' : 'the hosts that failed';
  const left = acceptFailures(
    { ...state, hosts: { ...state.hosts, ...computeOverallStatuses(state.hosts, open.hosts) } },
    open,
    {
      code: 'hosts_excluded',
      text: `${event.by} excluded ${affectedHosts}.`,
    },
  );
  return {
    ...left,
    hosts: { ...left.hosts, ...Object.fromEntries(named.map((id) => [id, 'SKIPPED' as const])) },
  };
}

/** In a pause before a step: skips that step. After a failure: lets the failed hosts continue. */
function skipStep(state: RunState, open: OpenStep | undefined, event: DecisionEvent): RunState {
  const why = event.comment ? `: ${event.comment}` : '.';
  if (!open) {
    const index = state.steps.findIndex((step) => step.status === 'PAUSED');
    const reason: Reason = { code: 'skipped_by_person', text: `${event.by} skipped this step${why}` };
    const steps = replaceStep(state.steps, index, { status: 'SKIPPED', reason });
    return { ...state, steps };
  }
  const reason: Reason = { code: 'failures_accepted', text: `${event.by} continued despite the failures${why}` };
  // The result of a lost host is unknown: it takes no further part, even if the failures are accepted.
  const lost = Object.keys(open.hosts).filter((id) => open.hosts[id]?.status === 'UNKNOWN');
  const left = acceptFailures(state, open, reason);
  return { ...left, hosts: { ...left.hosts, ...Object.fromEntries(lost.map((id) => [id, 'UNKNOWN' as const])) } };
}

/**
 * Accepts the failures of a step. A barrier step ends; a step in a segment continues with the hosts that have not
 * reached it yet.
 */
function acceptFailures(state: RunState, open: OpenStep, reason: Reason): RunState {
  const { index } = open;
  const over = { status: 'PARTIALLY_SUCCEEDED' as const, reason };
  if (!findSegmentAt(state, index)) {
    return { ...state, open: [], steps: replaceStep(state.steps, index, over) };
  }
  const hosts = mapValues(open.hosts, (host) => (isDroppedHost(host) ? { ...host, answered: true as const } : host));
  const failed = Object.keys(open.hosts).filter((id) => isDroppedHost(open.hosts[id]));
  return {
    ...replaceOpenHosts(state, index, hosts),
    answered: { index, hosts: failed },
    steps: replaceStep(state.steps, index, { status: 'RUNNING', reason }),
  };
}

function abortRun(state: RunState, event: DecisionEvent): RunState {
  const reason: Reason = {
    code: 'aborted',
    text: `Aborted by ${event.by}${event.comment ? `: ${event.comment}` : '.'}`,
  };
  return { ...state, status: 'CANCELLING', pause: null, reason };
}
