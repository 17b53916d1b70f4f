import { addDays, toInstants, type LocalTime, toLocalTime } from '../../common/time/local-time.js';

export const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Hours on some weekdays. If `to` is not later than `from`, the span continues into the next day. */
export interface OpenSpan {
  days: Weekday[];
  /** Such as `22:00`. */
  from: string;
  /** Such as `06:00`; `24:00` is the end of the day. */
  to: string;
}

export interface Blackout {
  from: string;
  /** End (exclusive). */
  to: string;
  reason: string;
}

export interface RunWindows {
  timeZone: string;
  open: OpenSpan[];
  blackouts: Blackout[];
}

export type WindowState =
  /** `closesAt`: null = not within a week. */
  | { open: true; closesAt: Date | null }
  /** `opensAt`: null = never. */
  | { open: false; opensAt: Date | null; blackout: string | null };

const MAX_WINDOW_STEPS = 1_000;
const DAYS = 8;

export function windowState(windows: RunWindows, at: Date): WindowState {
  if (isOpen(windows, at)) return { open: true, closesAt: getClosingTime(windows, at) };
  const blackout = blackoutAt(windows, toLocalTime(windows.timeZone, at));
  return { open: false, opensAt: getOpeningTime(windows, at), blackout: blackout?.reason ?? null };
}

function isOpen(windows: RunWindows, at: Date): boolean {
  const local = toLocalTime(windows.timeZone, at);
  return blackoutAt(windows, local) === null && windows.open.some((span) => isWithin(span, local));
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const dayOf = (weekday: number): Weekday => WEEKDAYS[(weekday + 7) % 7] ?? 'sun';

function isWithin({ days, from, to }: OpenSpan, { minute, weekday }: LocalTime): boolean {
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  if (begin < end) return days.includes(dayOf(weekday)) && minute >= begin && minute < end;
  return (days.includes(dayOf(weekday)) && minute >= begin) || (days.includes(dayOf(weekday - 1)) && minute < end);
}

/** If several blackouts overlap, returns the one that ends last. */
function blackoutAt({ blackouts }: RunWindows, { date, minute }: LocalTime): Blackout | null {
  const time = `${date}T${clock(minute)}`;
  let last: Blackout | null = null;
  for (const each of blackouts)
    if (each.from <= time && time < each.to && (last === null || each.to > last.to)) last = each;
  return last;
}

const instantOf = (zone: string, local: string): Date[] =>
  toInstants(zone, local.slice(0, 10), minutesOf(local.slice(11)));

/**
 * Yields starts or ends of spans in the week after a moment, in order. Lazy, because each conversion of a local time
 * takes some hundredths of a millisecond.
 */
function* spanBoundaries({ timeZone, open }: RunWindows, at: Date, which: 'from' | 'to'): Generator<Date> {
  const today = toLocalTime(timeZone, at).date;
  for (let day = -1; day <= DAYS; day += 1) {
    const date = addDays(today, day);
    const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
    const minutes = new Set<number>();
    for (const span of open) {
      const over = which === 'to' && minutesOf(span.to) <= minutesOf(span.from);
      if (span.days.includes(dayOf(over ? weekday - 1 : weekday))) minutes.add(minutesOf(span[which]));
    }
    const found = [...minutes].flatMap((minute) => toInstants(timeZone, date, minute));
    yield* found.filter((each) => each > at).sort((one, other) => one.getTime() - other.getTime());
  }
}

const first = (instants: Iterable<Date>, fits: (at: Date) => boolean = () => true): Date | null => {
  for (const instant of instants) if (fits(instant)) return instant;
  return null;
};

/** Steps through blackouts and spans, each at most once. */
function getOpeningTime(windows: RunWindows, at: Date): Date | null {
  let now = at;
  for (let turn = 0; turn < MAX_WINDOW_STEPS; turn += 1) {
    if (isOpen(windows, now)) return now;
    const blackout = blackoutAt(windows, toLocalTime(windows.timeZone, now));
    const next: Date | null = blackout
      ? first(instantOf(windows.timeZone, blackout.to), (each) => each > now)
      : first(spanBoundaries(windows, now, 'from'));
    if (!next) return null;
    now = next;
  }
  return null;
}

/** Returns the end of the open hours or the start of the next blackout, whichever is earlier. */
function getClosingTime(windows: RunWindows, at: Date): Date | null {
  const isClosed = (each: Date): boolean => !isOpen(windows, each);
  const endOfOpenSpan = first(spanBoundaries(windows, at, 'to'), isClosed);
  const { date, minute } = toLocalTime(windows.timeZone, at);
  const blackoutStarts = windows.blackouts.map(({ from }) => from).filter((from) => from > `${date}T${clock(minute)}`);
  const [next] = blackoutStarts.sort();
  const blackout = next === undefined ? null : first(instantOf(windows.timeZone, next));
  return endOfOpenSpan && blackout
    ? endOfOpenSpan < blackout
      ? endOfOpenSpan
      : blackout
    : (endOfOpenSpan ?? blackout);
}

export function closedText(name: string, { timeZone }: RunWindows, state: WindowState & { open: false }): string {
  const why = state.blackout === null ? '' : ` (${state.blackout})`;
  const openingText = state.opensAt === null ? 'and does not open again' : `until ${timeText(state.opensAt, timeZone)}`;
  return `"${name}" is outside of its run windows${why} ${openingText}.`;
}

function timeText(at: Date, timeZone: string): string {
  const local = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' }).format(at);
  return `${at.toISOString()} (${local} ${timeZone})`;
}
