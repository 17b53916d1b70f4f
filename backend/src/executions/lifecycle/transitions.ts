import type { RunEvent } from './run-event.js';
import type { ExecutionStatus } from './statuses.js';

type TransitionRow = Partial<Record<RunEvent['type'], readonly ExecutionStatus[]>>;

/** Possible statuses after a run advances. CANCELLED: nothing is running and the requester may no longer run there. */
const RUNNING_STATUSES: readonly ExecutionStatus[] = [
  'RUNNING',
  'PAUSED',
  'SUCCEEDED',
  'PARTIALLY_SUCCEEDED',
  'FAILED',
  'INTERRUPTED',
  'CANCELLED',
];

/** Allowed next statuses, by status and event. A status without an entry is final. */
export const TRANSITIONS: Partial<Record<ExecutionStatus, TransitionRow>> = {
  PENDING: {
    // PENDING: the run may not begin yet.
    claimed: ['PENDING', ...RUNNING_STATUSES],
    // PENDING: still waits, or has its guard keys. PAUSED: needs approval again. CANCELLED: guard keys are taken, or
    // the requester may no longer run there. EXPIRED: waited too long.
    admission_asked: ['PENDING', 'PAUSED', 'CANCELLED', 'EXPIRED'],
    cancel_requested: ['CANCELLED'],
    engine_failed: ['FAILED', 'INTERRUPTED'],
    abandoned: ['CANCELLED'],
    pause_requested: ['PENDING'],
    mode_changed: ['PENDING'],
  },
  RUNNING: {
    claimed: RUNNING_STATUSES,
    step_finished: RUNNING_STATUSES,
    // Sent while other hosts run, so it can neither pause nor end the run.
    hosts_finished: ['RUNNING'],
    cancel_requested: ['CANCELLING'],
    // Not TIMED_OUT when the last command ended just before the deadline: nothing was cut off.
    deadline_passed: ['TIMED_OUT', 'SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'INTERRUPTED'],
    engine_failed: ['FAILED', 'INTERRUPTED'],
    abandoned: ['CANCELLED', 'INTERRUPTED'],
    pause_requested: ['RUNNING'],
    mode_changed: ['RUNNING'],
  },
  PAUSED: {
    approved: ['PENDING'],
    rejected: ['REJECTED'],
    pause_expired: ['EXPIRED'],
    // CANCELLED: no step is open, so nothing is running. CANCELLING: an open step may still have a running command.
    cancel_requested: ['CANCELLED', 'CANCELLING'],
    decided: ['RUNNING', 'CANCELLING'],
    abandoned: ['CANCELLED', 'INTERRUPTED'],
    mode_changed: ['PAUSED'],
  },
  CANCELLING: {
    claimed: ['CANCELLED', 'CANCELLING'],
    step_finished: ['CANCELLED'],
    commands_stopped: ['CANCELLED'],
    deadline_passed: ['CANCELLED'],
    engine_failed: ['CANCELLED'],
    abandoned: ['CANCELLED', 'INTERRUPTED'],
    cancel_requested: ['CANCELLING'],
  },
};

export const isExpectedEvent = (status: ExecutionStatus, event: RunEvent['type']): boolean =>
  TRANSITIONS[status]?.[event] !== undefined;

/** @throws Error when the table does not allow the transition: a defect in `decide`, never a user error */
export function requireTransition(from: ExecutionStatus, event: RunEvent['type'], to: ExecutionStatus): void {
  if (!TRANSITIONS[from]?.[event]?.includes(to)) throw new Error(`No transition ${from} -> ${to} on ${event}.`);
}
