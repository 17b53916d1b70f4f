import { invalidRequest } from '../../../common/errors/problem.js';
import type { ProblemItem } from '../../../common/errors/problem-item.js';
import { QUEUE_SECONDS } from '../../guard/queue-rows.js';
import type { ExecutionMode, OnOverlap } from '../../lifecycle/statuses.js';

/** How far ahead a start may be planned, in days. */
const MOST_DAYS = 366;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What a run waits for that does not take its keys of the guard at once, or never. */
export interface Waiting {
  onOverlap: OnOverlap;
  /** Null: it begins as soon as it may. */
  startAt: Date | null;
  /** How long it waits for the guard. */
  timeoutSeconds: number;
}

/** It begins at once or not at all. */
export const AT_ONCE: Waiting = { onOverlap: 'refuse', startAt: null, timeoutSeconds: QUEUE_SECONDS };

/** What of it a request says. */
export interface WaitingRequest {
  onOverlap?: OnOverlap;
  startAt?: string;
  queueTimeoutSeconds?: number;
}

/**
 * What a start is to wait for; a dry run waits for nothing.
 * @param now time in ms
 * @throws Problem 400 for a time that has passed or is too far off, and for what has no meaning in this start
 */
export function waitingOf(request: WaitingRequest, mode: ExecutionMode, now = Date.now()): Waiting {
  const { onOverlap = 'refuse', startAt, queueTimeoutSeconds: timeoutSeconds = QUEUE_SECONDS } = request;
  const at = startAt === undefined ? null : new Date(startAt);
  const faults = [faultOfTime(at, mode, now), faultOfTimeout(request, mode)].filter((fault) => fault !== null);
  if (faults.length > 0) throw invalidRequest(faults, 'The run was not started.');
  if (mode === 'dry_run') return AT_ONCE;
  return { onOverlap, startAt: at, timeoutSeconds };
}

function faultOfTime(at: Date | null, mode: ExecutionMode, now: number): ProblemItem | null {
  if (!at) return null;
  const path = '/startAt';
  if (mode === 'dry_run') {
    const message = 'A dry run begins now. Remove startAt, and send it with the real start.';
    return { path, code: 'not_applicable', message };
  }
  const clock = `The server time is ${new Date(now).toISOString()}.`;
  if (at.getTime() <= now) {
    const message = `startAt has passed already. ${clock} Choose a later time, or leave it out to start now.`;
    return { path, code: 'in_the_past', message };
  }
  if (at.getTime() - now <= MOST_DAYS * DAY_MS) return null;
  return { path, code: 'out_of_range', message: `startAt may lie at most ${MOST_DAYS} days ahead. ${clock}` };
}

function faultOfTimeout({ onOverlap, queueTimeoutSeconds }: WaitingRequest, mode: ExecutionMode): ProblemItem | null {
  if (queueTimeoutSeconds === undefined || onOverlap === 'queue' || mode === 'dry_run') return null;
  const message = 'queueTimeoutSeconds is for a start that waits: send onOverlap: queue with it, or leave it out.';
  return { path: '/queueTimeoutSeconds', code: 'not_applicable', message };
}
