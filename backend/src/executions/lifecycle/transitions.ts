import type { RunEvent } from './run-event.js';
import type { ExecutionStatus } from './statuses.js';

/**
 * Which status may follow which, by event (design: domain §4). A status that is missing on the left never changes:
 * it is finished, or its room comes with approval and pauses.
 */
export const TRANSITIONS: Partial<
  Record<ExecutionStatus, Partial<Record<RunEvent['type'], readonly ExecutionStatus[]>>>
> = {
  PENDING: {
    // Straight to the end when no step has a host.
    claimed: ['RUNNING', 'SUCCEEDED'],
    cancel_requested: ['CANCELLED'],
    engine_failed: ['FAILED'],
  },
  RUNNING: {
    claimed: ['RUNNING', 'SUCCEEDED', 'FAILED', 'INTERRUPTED'],
    step_finished: ['RUNNING', 'SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'INTERRUPTED'],
    cancel_requested: ['CANCELLING'],
    deadline_passed: ['TIMED_OUT'],
    engine_failed: ['FAILED', 'INTERRUPTED'],
  },
  CANCELLING: {
    claimed: ['CANCELLED'],
    step_finished: ['CANCELLED'],
    commands_stopped: ['CANCELLED'],
    deadline_passed: ['CANCELLED'],
    engine_failed: ['CANCELLED'],
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
