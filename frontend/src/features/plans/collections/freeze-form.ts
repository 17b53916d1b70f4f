import type { Collection, UpdateCollectionRequest } from '../../../api/types';
import { instantOf, localOf } from '../../../ui/format/local-time';

/** Times as in a `datetime-local` input. */
export interface FreezeForm {
  reason: string;
  /** Empty: at once. */
  from: string;
  until: string;
}

const HOUR_MS = 3_600_000;

/** Ends that are often wanted, in the browser's time zone. */
export const ENDS: readonly { label: string; after: (now: Date) => Date }[] = [
  { label: 'In 4 hours', after: (now) => new Date(now.getTime() + 4 * HOUR_MS) },
  { label: 'Tomorrow, 08:00', after: (now) => at8(now, 1) },
  { label: 'Next Monday, 08:00', after: (now) => at8(now, (8 - now.getDay()) % 7 || 7) },
];

const at8 = (now: Date, days: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 8, 0, 0);

/** The form of the freeze that there is, unless it is over; else an empty one. */
export function freezeForm(collection: Pick<Collection, 'freeze' | 'updatedAt'>, now: number): FreezeForm {
  const { freeze } = collection;
  const state = freezeState(collection, now);
  if (freeze === null || state === 'none') return { reason: '', from: '', until: '' };
  return { reason: freeze.reason, from: state === 'holds' ? '' : localOf(freeze.from), until: localOf(freeze.until) };
}

export type FreezeErrors = Partial<Record<keyof FreezeForm, string>>;

/** What is missing or can't be. The server decides; this only spares the way there. */
export function freezeErrors({ reason, from, until }: FreezeForm, now: number): FreezeErrors {
  const errors: FreezeErrors = {};
  const [begin, end] = [instantOf(from), instantOf(until)];
  if (reason.trim() === '') errors.reason = 'Say why: whoever is refused reads it.';
  if (end === undefined) errors.until = 'Say when it ends; it can be lifted earlier.';
  else if (Date.parse(end) <= now) errors.until = 'Choose a time to come.';
  else if (begin !== undefined && end <= begin) errors.until = 'It ends after it begins: choose a later time.';
  return errors;
}

/** @param form one without errors */
export function toFreeze({ reason, from, until }: FreezeForm): NonNullable<UpdateCollectionRequest['freeze']> {
  const begin = instantOf(from);
  return { reason: reason.trim(), ...(begin === undefined ? {} : { from: begin }), until: instantOf(until) ?? '' };
}

/** Where a freeze of its own stands. What began when it was set began by the server's clock, which may be ahead. */
export function freezeState(
  { freeze, updatedAt }: Pick<Collection, 'freeze' | 'updatedAt'>,
  now: number,
): 'none' | 'coming' | 'holds' {
  if (freeze === null || Date.parse(freeze.until) <= now) return 'none';
  return Date.parse(freeze.from) > Math.max(now, Date.parse(updatedAt)) ? 'coming' : 'holds';
}
