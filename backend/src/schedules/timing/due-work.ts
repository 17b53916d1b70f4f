import { createHash } from 'node:crypto';
import { latestTime, nextTime, type Timing, timesBetween } from './timing.js';

/** What happens to times that nothing was started at, because no worker was there: nothing, or one run for all of them. */
export const ON_MISSED = ['skip', 'once'] as const;
export type OnMissed = (typeof ON_MISSED)[number];

/** A time counts as missed when it is so late, in ms: until then nobody would say that it was left out. */
const LATE_MS = 300_000;
/** Missed times that are counted; beyond, it is told that there are more. */
export const MOST_COUNTED = 1_000;

export interface DueSchedule extends Timing {
  id: string;
  nextAt: Date;
  jitterSeconds: number;
  onMissed: OnMissed;
}

/** What is to be done now for a schedule that is due. */
export interface DueWork {
  /** The time that it is done for, the last one that has come. */
  at: Date;
  /** Whether something is started, or too late for that. */
  starts: boolean;
  /** How many times before that had come too. */
  missed: number;
  /** The time after it; null: none is left. */
  nextAt: Date | null;
  /** When that one is due. */
  dueAt: Date | null;
}

/**
 * How much later than asked for a schedule starts: its share of the jitter, which follows from its id and stays the same, so
 * that schedules of one minute spread, and the distance between two times of one does not change.
 */
export function delayMs({ id, jitterSeconds }: Pick<DueSchedule, 'id' | 'jitterSeconds'>): number {
  const share = createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32;
  return Math.floor(share * jitterSeconds * 1000);
}

/** @param now by the clock that `nextAt` was found due with */
export function dueWork(schedule: DueSchedule, now: Date): DueWork {
  const delay = delayMs(schedule);
  const come = new Date(now.getTime() - delay);
  const latest = latestTime(schedule, come);
  const at = latest && latest > schedule.nextAt ? latest : schedule.nextAt;
  const nextAt = nextTime(schedule, at > come ? at : come);
  return {
    at,
    starts: schedule.onMissed === 'once' || come.getTime() - at.getTime() <= LATE_MS,
    missed: timesBetween(schedule, schedule.nextAt, at, MOST_COUNTED),
    nextAt,
    dueAt: nextAt && new Date(nextAt.getTime() + delay),
  };
}
