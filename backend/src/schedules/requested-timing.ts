import { invalidRequest } from '../common/errors/problem.js';
import type { ProblemItem } from '../common/errors/problem-item.js';
import type { TimingRequest } from './schedules.dto.js';
import { computeNextTime, type Timing } from './timing/timing.js';

type StoredTiming = Pick<Timing, 'cron' | 'everySeconds' | 'timeZone'>;

const NEITHER_TEXT = 'Send cron, such as "30 2 * * 1-5", or everySeconds, such as 3600.';
const BOTH_TEXT = 'Send either cron or everySeconds, not both.';
const NO_ZONE_TEXT = 'cron needs a timeZone, such as Europe/Berlin.';
const NEVER_TEXT = 'This day never occurs. Correct the day of the month or the month.';

const refuseTiming = (path: string, code: ProblemItem['code'], message: string) =>
  invalidRequest([{ path, code, message }]);

/**
 * Returns the timing after a request, which may set only some of the fields.
 * @param before stored timing; null = new schedule
 * @param now time of the database clock
 * @throws Problem 400
 */
export function validateTiming(request: TimingRequest, before: Timing | null, now: Date): Timing {
  const timing = { ...mergeTiming(request, before), everyFrom: before?.everyFrom ?? now };
  const isNew = before === null || !isSameTiming(timing, before);
  // Whole seconds, like the times of cron.
  if (isNew) timing.everyFrom = new Date(Math.floor(now.getTime() / 1000) * 1000);
  if (isNew && computeNextTime(timing, now) === null) throw refuseTiming('/cron', 'never_comes', NEVER_TEXT);
  return timing;
}

function mergeTiming({ cron, everySeconds, timeZone }: TimingRequest, before: Timing | null): StoredTiming {
  if (cron !== undefined && everySeconds !== undefined)
    throw refuseTiming('/everySeconds', 'not_applicable', BOTH_TEXT);
  const zone = timeZone ?? before?.timeZone;
  if (cron !== undefined) {
    if (zone === undefined) throw refuseTiming('/timeZone', 'required', NO_ZONE_TEXT);
    return { cron: cron.trim().replace(/\s+/g, ' '), everySeconds: null, timeZone: zone };
  }
  if (everySeconds !== undefined) return { cron: null, everySeconds, timeZone: zone ?? 'UTC' };
  if (!before) throw refuseTiming('/cron', 'required', NEITHER_TEXT);
  return { cron: before.cron, everySeconds: before.everySeconds, timeZone: zone ?? before.timeZone };
}

export const isSameTiming = (one: StoredTiming, other: StoredTiming): boolean =>
  one.cron === other.cron && one.everySeconds === other.everySeconds && one.timeZone === other.timeZone;
