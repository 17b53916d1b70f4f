import type { Collection, UpdateCollectionRequest } from '../../../api/types';
import { toInstant, toLocalTime } from '../../../ui/format/local-time';

/** Times have the format of a `datetime-local` input. */
export interface FreezeForm {
  reason: string;
  /** Empty: now. */
  from: string;
  until: string;
}

const HOUR_MS = 3_600_000;

/** Suggested end times, in the browser's time zone. */
export const END_CHOICES: readonly { label: string; after: (now: Date) => Date }[] = [
  { label: 'In 4 hours', after: (now) => new Date(now.getTime() + 4 * HOUR_MS) },
  { label: 'Tomorrow, 08:00', after: (now) => at8(now, 1) },
  { label: 'Next Monday, 08:00', after: (now) => at8(now, (8 - now.getDay()) % 7 || 7) },
];

const at8 = (now: Date, days: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 8, 0, 0);

/** Returns the form values of the current freeze. If that has ended, returns empty values. */
export function freezeForm(collection: Pick<Collection, 'freeze' | 'updatedAt'>, now: number): FreezeForm {
  const { freeze } = collection;
  const state = freezeState(collection, now);
  if (freeze === null || state === 'none') return { reason: '', from: '', until: '' };
  return {
    reason: freeze.reason,
    from: state === 'holds' ? '' : toLocalTime(freeze.from),
    until: toLocalTime(freeze.until),
  };
}

export type FreezeErrors = Partial<Record<keyof FreezeForm, string>>;

/** Validates in the browser to save requests. The server decides. */
export function freezeErrors({ reason, from, until }: FreezeForm, now: number): FreezeErrors {
  const errors: FreezeErrors = {};
  const [begin, end] = [toInstant(from), toInstant(until)];
  if (reason.trim() === '') errors.reason = 'Enter a reason. Members whose start is refused see it.';
  if (end === undefined) errors.until = 'Enter an end time. You can lift the freeze earlier.';
  else if (Date.parse(end) <= now) errors.until = 'Choose a time in the future.';
  else if (begin !== undefined && end <= begin) errors.until = 'Choose an end time after the start.';
  return errors;
}

/** @param form without validation errors */
export function toFreeze({ reason, from, until }: FreezeForm): NonNullable<UpdateCollectionRequest['freeze']> {
  const begin = toInstant(from);
  return { reason: reason.trim(), ...(begin === undefined ? {} : { from: begin }), until: toInstant(until) ?? '' };
}

/**
 * Returns the state of a freeze. A freeze that began when it was set may begin in the future here, because the server's
 * clock may be ahead.
 */
export function freezeState(
  { freeze, updatedAt }: Pick<Collection, 'freeze' | 'updatedAt'>,
  now: number,
): 'none' | 'coming' | 'holds' {
  if (freeze === null || Date.parse(freeze.until) <= now) return 'none';
  return Date.parse(freeze.from) > Math.max(now, Date.parse(updatedAt)) ? 'coming' : 'holds';
}
