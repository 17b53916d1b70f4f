import { invalidRequest } from '../../../common/errors/problem.js';
import type { ProblemItem } from '../../../common/errors/problem-item.js';
import { DEFAULT_QUEUE_TIMEOUT_SECONDS } from '../../guard/queue-rows.js';
import type { ExecutionMode, OverlapAction } from '../../lifecycle/statuses.js';

const MAX_WAIT_DAYS = 366;
const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a run may wait for its guard keys and its start time. */
export interface WaitSettings {
  onOverlap: OverlapAction;
  /** Null: as early as possible. */
  startAt: Date | null;
  timeoutSeconds: number;
}

export const IMMEDIATE_START: WaitSettings = {
  onOverlap: 'refuse',
  startAt: null,
  timeoutSeconds: DEFAULT_QUEUE_TIMEOUT_SECONDS,
};

export interface WaitRequest {
  onOverlap?: OverlapAction;
  startAt?: string;
  queueTimeoutSeconds?: number;
}

/**
 * Validates the waiting options of a start. A dry run never waits.
 * @param now time in ms
 * @throws Problem 400 for a time in the past or too far ahead, and for options that do not apply to this start
 */
export function toWaitSettings(request: WaitRequest, mode: ExecutionMode, now = Date.now()): WaitSettings {
  const {
    onOverlap = 'refuse',
    startAt,
    queueTimeoutSeconds: timeoutSeconds = DEFAULT_QUEUE_TIMEOUT_SECONDS,
  } = request;
  const at = startAt === undefined ? null : new Date(startAt);
  const faults = [findStartTimeFault(at, mode, now), findQueueTimeoutFault(request, mode)].filter(
    (fault) => fault !== null,
  );
  if (faults.length > 0) throw invalidRequest(faults, 'The run was not started.');
  if (mode === 'dry_run') return IMMEDIATE_START;
  return { onOverlap, startAt: at, timeoutSeconds };
}

function findStartTimeFault(at: Date | null, mode: ExecutionMode, now: number): ProblemItem | null {
  if (!at) return null;
  const path = '/startAt';
  if (mode === 'dry_run') {
    const message = 'A dry run always begins immediately. Remove startAt here, and send it with the real start.';
    return { path, code: 'not_applicable', message };
  }
  const clock = `The server time is ${new Date(now).toISOString()}.`;
  if (at.getTime() <= now) {
    const message = `startAt has passed already. ${clock} Choose a later time, or leave it out to start now.`;
    return { path, code: 'in_the_past', message };
  }
  if (at.getTime() - now <= MAX_WAIT_DAYS * DAY_MS) return null;
  return { path, code: 'out_of_range', message: `startAt can be at most ${MAX_WAIT_DAYS} days ahead. ${clock}` };
}

function findQueueTimeoutFault(
  { onOverlap, queueTimeoutSeconds }: WaitRequest,
  mode: ExecutionMode,
): ProblemItem | null {
  if (queueTimeoutSeconds === undefined || onOverlap === 'queue' || mode === 'dry_run') return null;
  const message =
    'queueTimeoutSeconds applies only to a start that waits. Send onOverlap: queue too, or remove queueTimeoutSeconds.';
  return { path: '/queueTimeoutSeconds', code: 'not_applicable', message };
}
