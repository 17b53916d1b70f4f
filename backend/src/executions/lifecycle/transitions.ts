import type { RunEvent } from './run-event.js';
import type { ExecutionStatus } from './statuses.js';

type Row = Partial<Record<RunEvent['type'], readonly ExecutionStatus[]>>;

/** What may come of going on with a run. CANCELLED: its starter may no longer run there, and nothing is running. */
const ONWARD: readonly ExecutionStatus[] = [
  'RUNNING',
  'PAUSED',
  'SUCCEEDED',
  'PARTIALLY_SUCCEEDED',
  'FAILED',
  'INTERRUPTED',
  'CANCELLED',
];

/**
 * Which status may follow which, by event. A status that is missing on the left is finished and
 * never changes.
 */
export const TRANSITIONS: Partial<Record<ExecutionStatus, Row>> = {
  PENDING: {
    // Something holds it back still.
    claimed: ['PENDING', ...ONWARD],
    // Goes on to wait, or for a worker; approval is needed anew; its keys are taken; it has waited for too long.
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
    // Told while other hosts run: it can neither pause nor end the run.
    hosts_finished: ['RUNNING'],
    cancel_requested: ['CANCELLING'],
    // Its last command may have ended just before: then there is nothing left that was cut off.
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
    // Before approval nothing can be running; inside a run a host may have been lost with its command.
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

/** Whether the table knows this event in this status. */
export const isExpected = (status: ExecutionStatus, event: RunEvent['type']): boolean =>
  TRANSITIONS[status]?.[event] !== undefined;

/** @throws Error when the table does not allow it: a fault in `decide`, never a user's doing */
export function demandTransition(from: ExecutionStatus, event: RunEvent['type'], to: ExecutionStatus): void {
  if (!TRANSITIONS[from]?.[event]?.includes(to)) throw new Error(`No transition ${from} -> ${to} on ${event}.`);
}
