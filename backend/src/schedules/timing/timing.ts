import { toCron } from './cron-expression.js';

export interface Timing {
  cron: string | null;
  everySeconds: number | null;
  /** Start of the intervals; a whole second. */
  everyFrom: Date;
  timeZone: string;
}

/** Returns null if no occurrence follows. */
export const computeNextTime = (timing: Timing, after: Date): Date | null => nextTimes(timing, after, 1)[0] ?? null;

export function nextTimes({ cron, everySeconds, everyFrom, timeZone }: Timing, after: Date, limit: number): Date[] {
  if (cron !== null) return toCron(cron, timeZone).nextRuns(limit, after);
  const interval = (everySeconds ?? 0) * 1000;
  const turn = Math.max(1, Math.floor((after.getTime() - everyFrom.getTime()) / interval) + 1);
  return Array.from({ length: limit }, (_, index) => new Date(everyFrom.getTime() + (turn + index) * interval));
}

/** Returns the occurrences from `from` (inclusive) to `before` (exclusive), at most `limit`. */
export function listTimesBetween(timing: Timing, from: Date, before: Date, limit: number): Date[] {
  const { cron, everySeconds, timeZone } = timing;
  // Occurrences are whole seconds, and both calls exclude the moment itself: so start one second earlier.
  const start = new Date(from.getTime() - 1000);
  const times: Date[] = [];
  const add = (time: Date): void => {
    if (time >= from && time < before && times.length < limit) times.push(time);
  };
  if (cron === null) {
    const most = Math.ceil((before.getTime() - start.getTime()) / ((everySeconds ?? 0) * 1000)) + 1;
    for (const time of nextTimes(timing, start, Math.min(limit + 1, most))) add(time);
    return times;
  }
  const expression = toCron(cron, timeZone);
  for (
    let time = expression.nextRun(start);
    time && time < before && times.length < limit;
    time = expression.nextRun(time)
  )
    add(time);
  return times;
}

/** Returns the last occurrence at or before a moment; null = none. */
export function getLatestTime({ cron, everySeconds, everyFrom, timeZone }: Timing, at: Date): Date | null {
  if (cron !== null) {
    // `previousRuns` excludes the moment itself, and occurrences are whole seconds: so start one second later.
    const before = toCron(cron, timeZone).previousRuns(2, new Date(at.getTime() + 1000));
    return before.find((time) => time <= at) ?? null;
  }
  const interval = (everySeconds ?? 0) * 1000;
  const turn = Math.floor((at.getTime() - everyFrom.getTime()) / interval);
  return turn < 1 ? null : new Date(everyFrom.getTime() + turn * interval);
}

/** Counts the occurrences from `from` (inclusive) to `before` (exclusive), up to `limit`. @param from an occurrence */
export function countTimesBetween(timing: Timing, from: Date, before: Date, limit: number): number {
  if (from >= before) return 0;
  const { cron, everySeconds } = timing;
  if (cron === null)
    return Math.min(limit, Math.ceil((before.getTime() - from.getTime()) / ((everySeconds ?? 0) * 1000)));
  const times = toCron(cron, timing.timeZone);
  let count = 0;
  for (let time: Date | null = from; time !== null && time < before && count < limit; time = times.nextRun(time))
    count += 1;
  return count;
}
