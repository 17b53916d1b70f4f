import { createHash } from 'node:crypto';
import { getLatestTime, computeNextTime, type Timing, countTimesBetween } from './timing.js';

/** For occurrences without an available worker: start nothing, or one run for all of them. */
export const ON_MISSED = ['skip', 'once'] as const;
export type OnMissed = (typeof ON_MISSED)[number];

/** Delay after which an occurrence counts as missed, in ms. */
const LATE_AFTER_MS = 300_000;
/** Higher numbers of missed occurrences are reported as "or more". */
export const MAX_COUNTED_MISSES = 1_000;

export interface DueSchedule extends Timing {
  id: string;
  nextAt: Date;
  jitterSeconds: number;
  onMissed: OnMissed;
}

export interface DueWork {
  /** Latest occurrence in the past. */
  at: Date;
  /** False = too late to start a run. */
  starts: boolean;
  /** Number of earlier occurrences that are also in the past. */
  missed: number;
  /** Null = no further occurrence. */
  nextAt: Date | null;
  /** `nextAt` plus the delay of the schedule. */
  dueAt: Date | null;
}

/**
 * Delay of a schedule within its jitter, in ms. Derived from the ID, so that simultaneous schedules spread, and
 * constant, so that the interval between two occurrences does not change.
 */
export function computeDelayMs({ id, jitterSeconds }: Pick<DueSchedule, 'id' | 'jitterSeconds'>): number {
  const share = createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32;
  return Math.floor(share * jitterSeconds * 1000);
}

/** @param now time of the clock by which the schedule is due */
export function computeDueWork(schedule: DueSchedule, now: Date): DueWork {
  const delay = computeDelayMs(schedule);
  const passedLimit = new Date(now.getTime() - delay);
  const latest = getLatestTime(schedule, passedLimit);
  const at = latest && latest > schedule.nextAt ? latest : schedule.nextAt;
  const nextAt = computeNextTime(schedule, at > passedLimit ? at : passedLimit);
  return {
    at,
    starts: schedule.onMissed === 'once' || passedLimit.getTime() - at.getTime() <= LATE_AFTER_MS,
    missed: countTimesBetween(schedule, schedule.nextAt, at, MAX_COUNTED_MISSES),
    nextAt,
    dueAt: nextAt && new Date(nextAt.getTime() + delay),
  };
}
