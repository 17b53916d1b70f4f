import type { RunEvent } from './run-event.js';
import type { ExecutionStatus } from './statuses.js';

type Row = Partial<Record<RunEvent['type'], readonly ExecutionStatus[]>>;

/** Possible statuses after a run advances. CANCELLED: its requester may no longer run there, and nothing is running. */
const ONWARD: readonly ExecutionStatus[] = [
  'RUNNING',
  'PAUSED',
  'SUCCEEDED',
  'PARTIALLY_SUCCEEDED',
  'FAILED',
  'INTERRUPTED',
  'CANCELLED',
];

/** Allowed next statuses, by status and event. A status without an entry is finished and never changes. */
export const TRANSITIONS: Partial<Record<ExecutionStatus, Row>> = {
  PENDING: {
    // PENDING: the run is still held back.
    claimed: ['PENDING', ...ONWARD],
    // In this order: keeps waiting, or waits for a worker; needs approval again; guard keys are taken; waited too long.
    admission_asked: ['PENDING', 'PAUSED', 'CANCELLED', 'EXPIRED'],
    cancel_requested: ['CANCELLED'],
    engine_failed: ['FAILED', 'INTERRUPTED'],
    abandoned: ['CANCELLED'],
    pause_requested: ['PENDING'],
    mode_changed: ['PENDING'],
  },
  RUNNING: {
    claimed: ONWARD,
    step_finished: ONWARD,
    // Sent while other hosts run: it can neither pause nor end the run.
    hosts_finished: ['RUNNING'],
    cancel_requested: ['CANCELLING'],
    // The last command may have ended just before the deadline. Then nothing was cut off.
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
    // Before approval nothing can be running. Within a run, a host may have been lost with its command.
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

export const isExpected = (status: ExecutionStatus, event: RunEvent['type']): boolean =>
  TRANSITIONS[status]?.[event] !== undefined;

/** @throws Error when the table does not allow the transition: a defect in `decide`, never a user error */
export function requireTransition(from: ExecutionStatus, event: RunEvent['type'], to: ExecutionStatus): void {
  if (!TRANSITIONS[from]?.[event]?.includes(to)) throw new Error(`No transition ${from} -> ${to} on ${event}.`);
}
