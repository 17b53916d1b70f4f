import type { Reason } from '../../common/http/reason.view.js';
import { applyDecision } from './answer.js';
import { type RunDecision, endRun, settleOpenHosts } from './settle.js';
import { advanceRun, advanceHosts, pauseForClearance } from './advance-run.js';
import { listFreeWork, getNextStepToEnter } from './segment-progress.js';
import type { RunEvent } from './run-event.js';
import { ADMITTED, type HostInStep, type RunState } from './run-state.js';
import { isFinished, isHostFinished } from './statuses.js';
import { requireTransition, isExpectedEvent } from './transitions.js';

export type { RunDecision as Decision } from './settle.js';

/**
 * The only function that decides how a run continues. Pure and idempotent: reads no clock, does no I/O. Ignores an
 * event that the run's status does not expect.
 */
export function decideNextState(state: RunState, event: RunEvent): RunDecision {
  if (!isExpectedEvent(state.status, event.type))
    return { state, effects: isFinished(state.status) ? [{ type: 'finish' }] : [] };
  const answersApproval = event.type === 'approved' || event.type === 'rejected';
  if (answersApproval && state.pause?.reason !== 'APPROVAL') return { state, effects: [] };
  const decision = applyEvent(state, event);
  if (decision.state !== state) requireTransition(state.status, event.type, decision.state.status);
  return decision;
}

function applyEvent(state: RunState, event: RunEvent): RunDecision {
  switch (event.type) {
    case 'claimed':
      return claimRun(state);
    case 'admission_asked':
      return admitRun(state);
    case 'step_finished':
      // The end of a step may be reported twice, when a response was lost. Then the next step is already open, and
      // `advanceRun` leaves it open.
      return state.status === 'CANCELLING' ? endCancelledRun(state) : advanceRun(state);
    case 'hosts_finished':
      return advanceHosts(state, event.hosts, event.within);
    case 'commands_stopped':
      return endCancelledRun(state);
    case 'deadline_passed':
      return state.status === 'CANCELLING' ? endCancelledRun(state) : timeOutRun(state);
    case 'engine_failed':
      return failEngine(state);
    case 'abandoned':
      return abandonRun(state, event.reason);
    case 'cancel_requested':
      return cancelRun(state, event.by, event.reason);
    case 'approved':
      return { state: { ...state, status: 'PENDING', pause: null, reason: null }, effects: [{ type: 'enqueue' }] };
    case 'rejected':
      return endRun(settleOpenHosts(state, 'CANCELLED'), 'REJECTED', {
        code: 'rejected',
        text: `Rejected by ${event.by}: ${event.comment}`,
      });
    case 'pause_expired':
      return expireRun(state);
    case 'decided':
      return applyDecision(state, event);
    case 'pause_requested':
      return { state: { ...state, pauseRequestedBy: state.pauseRequestedBy ?? event.by }, effects: [] };
    case 'mode_changed':
      return { state: { ...state, mode: event.mode }, effects: [] };
  }
}

function claimRun(state: RunState): RunDecision {
  if (state.status === 'CANCELLING') return takeOverCancelled(state);
  if (state.status !== 'PENDING') return advanceRun(state);
  // The run has no guard keys yet: the admission queue will enqueue it.
  if (state.admission.kind !== 'admitted') return { state, effects: [{ type: 'wait' }] };
  if (state.clearance.kind !== 'held') return advanceRun({ ...state, reason: null });
  return { state: { ...state, reason: state.clearance.reason }, effects: [{ type: 'wait' }] };
}

function admitRun(state: RunState): RunDecision {
  const { admission, clearance } = state;
  const waiting = (reason: Reason | null): RunDecision => ({
    state: { ...state, reason },
    effects: [{ type: 'wait' }],
  });
  if (admission.kind === 'admitted') return { state, effects: [{ type: 'wait' }] };
  if (admission.kind === 'late') return endRun(settleOpenHosts(state, 'CANCELLED'), 'EXPIRED', admission.reason);
  if (admission.kind === 'early') return waiting(null);
  if (clearance.kind === 'held') return waiting(clearance.reason);
  if (clearance.kind !== 'clear') return pauseForClearance(state, clearance);
  if (admission.kind === 'refused') return endRun(settleOpenHosts(state, 'CANCELLED'), 'CANCELLED', admission.reason);
  if (admission.kind !== 'free') return waiting(null);
  return { state: { ...state, reason: null, admission: ADMITTED }, effects: [{ type: 'enqueue' }] };
}

const endCancelledRun = (state: RunState): RunDecision =>
  endRun(settleOpenHosts(state, 'CANCELLED'), 'CANCELLED', state.reason);

function cancelRun(state: RunState, by: string, why: string | null): RunDecision {
  if (state.status === 'CANCELLING') return { state, effects: [{ type: 'stop_commands' }] };
  const reason: Reason = { code: 'cancelled', text: `Cancelled by ${by}${why ? `: ${why}` : '.'}` };
  // No worker drives this run and nothing runs on its hosts: it can end at once.
  if (state.status === 'PENDING' || (state.status === 'PAUSED' && state.open.length === 0))
    return endRun(settleOpenHosts(state, 'CANCELLED'), 'CANCELLED', reason);
  return { state: { ...state, status: 'CANCELLING', pause: null, reason }, effects: [{ type: 'stop_commands' }] };
}

/**
 * Looks up and stops the commands that the previous worker may have left running. Hosts without a command keep their
 * state meanwhile: a slice of the run may be starting one now.
 */
function takeOverCancelled(state: RunState): RunDecision {
  const isStillRunning = (host: HostInStep): boolean => host.dispatched && !isHostFinished(host.status);
  const effects = listFreeWork(state, isStillRunning, true);
  return effects.length > 0 ? { state, effects } : endCancelledRun(state);
}

function timeOutRun(state: RunState): RunDecision {
  const done = state.open.every(({ hosts }) => Object.values(hosts).every((host) => host.status === 'SUCCEEDED'));
  // The last command succeeded just before the deadline: nothing was cut off.
  if (done && state.steps.every((step) => step.status !== 'PENDING') && getNextStepToEnter(state) === null)
    return advanceRun(state);
  return endRun(settleOpenHosts(state, 'TIMED_OUT'), 'TIMED_OUT', {
    code: 'run_timed_out',
    text: "The run's own time limit passed.",
  });
}

function expireRun(state: RunState): RunDecision {
  const approval = state.pause?.reason === 'APPROVAL';
  const text = approval
    ? 'It was not approved in time. Rerun it to request approval again.'
    : 'The pause was not answered in time.';
  return endRun(settleOpenHosts(state, 'CANCELLED'), 'EXPIRED', {
    code: approval ? 'approval_expired' : 'decision_expired',
    text,
  });
}

/** Does not look up sent commands: only the other installation knows their results. */
function abandonRun(state: RunState, reason: Reason): RunDecision {
  const settled = settleOpenHosts(state, 'CANCELLED');
  const unknown = Object.values(settled.hosts).includes('UNKNOWN');
  return endRun(settled, unknown ? 'INTERRUPTED' : 'CANCELLED', reason);
}

function failEngine(state: RunState): RunDecision {
  const settled = settleOpenHosts(state, 'CANCELLED');
  if (state.status === 'CANCELLING') return endRun(settled, 'CANCELLED', state.reason);
  const unknown = Object.values(settled.hosts).includes('UNKNOWN');
  const text = 'Internal error: the run was ended. See the log of the worker.';
  return endRun(settled, unknown ? 'INTERRUPTED' : 'FAILED', { code: 'engine_failed', text });
}
