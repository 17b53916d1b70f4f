import { cronOf } from './cron-expression.js';

/** When a schedule is to start something: by an expression, or at intervals. */
export interface Timing {
  cron: string | null;
  everySeconds: number | null;
  /** What intervals are counted from; a whole second. */
  everyFrom: Date;
  timeZone: string;
}

/** The first time after a moment; null: none is left. */
export const nextTime = (timing: Timing, after: Date): Date | null => nextTimes(timing, after, 1)[0] ?? null;

/** The first times after a moment, at most so many. */
export function nextTimes({ cron, everySeconds, everyFrom, timeZone }: Timing, after: Date, most: number): Date[] {
  if (cron !== null) return cronOf(cron, timeZone).nextRuns(most, after);
  const interval = (everySeconds ?? 0) * 1000;
  const turn = Math.max(1, Math.floor((after.getTime() - everyFrom.getTime()) / interval) + 1);
  return Array.from({ length: most }, (_, index) => new Date(everyFrom.getTime() + (turn + index) * interval));
}

/** The last time that is not after a moment; null: there was none. */
export function latestTime({ cron, everySeconds, everyFrom, timeZone }: Timing, at: Date): Date | null {
  if (cron !== null) {
    // Times are whole seconds, and the library leaves out the one at the moment itself.
    const before = cronOf(cron, timeZone).previousRuns(2, new Date(at.getTime() + 1000));
    return before.find((time) => time <= at) ?? null;
  }
  const interval = (everySeconds ?? 0) * 1000;
  const turn = Math.floor((at.getTime() - everyFrom.getTime()) / interval);
  return turn < 1 ? null : new Date(everyFrom.getTime() + turn * interval);
}

/** How many times lie from one to before another, at most so many. @param from a time of it */
export function timesBetween(timing: Timing, from: Date, before: Date, most: number): number {
  if (from >= before) return 0;
  const { cron, everySeconds } = timing;
  if (cron === null)
    return Math.min(most, Math.ceil((before.getTime() - from.getTime()) / ((everySeconds ?? 0) * 1000)));
  const times = cronOf(cron, timing.timeZone);
  let count = 0;
  for (let time: Date | null = from; time !== null && time < before && count < most; time = times.nextRun(time))
    count += 1;
  return count;
}
