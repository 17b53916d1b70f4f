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
const SEARCHED_DAYS = 8;

export function computeWindowState(windows: RunWindows, at: Date): WindowState {
  if (isWindowOpen(windows, at)) return { open: true, closesAt: getClosingTime(windows, at) };
  const blackout = findBlackout(windows, toLocalTime(windows.timeZone, at));
  return { open: false, opensAt: getOpeningTime(windows, at), blackout: blackout?.reason ?? null };
}

function isWindowOpen(windows: RunWindows, at: Date): boolean {
  const local = toLocalTime(windows.timeZone, at);
  return findBlackout(windows, local) === null && windows.open.some((span) => isWithinSpan(span, local));
}

const parseMinutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
const formatClock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const toWeekday = (weekday: number): Weekday => WEEKDAYS[(weekday + 7) % 7] ?? 'sun';

function isWithinSpan({ days, from, to }: OpenSpan, { minute, weekday }: LocalTime): boolean {
  const [begin, end] = [parseMinutes(from), parseMinutes(to)];
  if (begin < end) return days.includes(toWeekday(weekday)) && minute >= begin && minute < end;
  return (
    (days.includes(toWeekday(weekday)) && minute >= begin) || (days.includes(toWeekday(weekday - 1)) && minute < end)
  );
}

/** If several blackouts overlap, returns the one that ends last. */
function findBlackout({ blackouts }: RunWindows, { date, minute }: LocalTime): Blackout | null {
  const time = `${date}T${formatClock(minute)}`;
  let last: Blackout | null = null;
  for (const each of blackouts)
    if (each.from <= time && time < each.to && (last === null || each.to > last.to)) last = each;
  return last;
}

const toInstantsOfLocalTime = (zone: string, local: string): Date[] =>
  toInstants(zone, local.slice(0, 10), parseMinutes(local.slice(11)));

/**
 * Yields starts or ends of spans in the week after a moment, in order. Lazy, because each conversion of a local time
 * takes some hundredths of a millisecond.
 */
function* listSpanBoundaries({ timeZone, open }: RunWindows, at: Date, which: 'from' | 'to'): Generator<Date> {
  const today = toLocalTime(timeZone, at).date;
  for (let day = -1; day <= SEARCHED_DAYS; day += 1) {
    const date = addDays(today, day);
    const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
    const minutes = new Set<number>();
    for (const span of open) {
      const over = which === 'to' && parseMinutes(span.to) <= parseMinutes(span.from);
      if (span.days.includes(toWeekday(over ? weekday - 1 : weekday))) minutes.add(parseMinutes(span[which]));
    }
    const found = [...minutes].flatMap((minute) => toInstants(timeZone, date, minute));
    yield* found.filter((each) => each > at).sort((one, other) => one.getTime() - other.getTime());
  }
}

const findFirst = (instants: Iterable<Date>, fits: (at: Date) => boolean = () => true): Date | null => {
  for (const instant of instants) if (fits(instant)) return instant;
  return null;
};

/** Steps through blackouts and spans, each at most once. */
function getOpeningTime(windows: RunWindows, at: Date): Date | null {
  let now = at;
  for (let turn = 0; turn < MAX_WINDOW_STEPS; turn += 1) {
    if (isWindowOpen(windows, now)) return now;
    const blackout = findBlackout(windows, toLocalTime(windows.timeZone, now));
    const next: Date | null = blackout
      ? findFirst(toInstantsOfLocalTime(windows.timeZone, blackout.to), (each) => each > now)
      : findFirst(listSpanBoundaries(windows, now, 'from'));
    if (!next) return null;
    now = next;
  }
  return null;
}

/** Returns the end of the open hours or the start of the next blackout, whichever is earlier. */
function getClosingTime(windows: RunWindows, at: Date): Date | null {
  const isClosed = (each: Date): boolean => !isWindowOpen(windows, each);
  const endOfOpenSpan = findFirst(listSpanBoundaries(windows, at, 'to'), isClosed);
  const { date, minute } = toLocalTime(windows.timeZone, at);
  const blackoutStarts = windows.blackouts
    .map(({ from }) => from)
    .filter((from) => from > `${date}T${formatClock(minute)}`);
  const [next] = blackoutStarts.sort();
  const blackout = next === undefined ? null : findFirst(toInstantsOfLocalTime(windows.timeZone, next));
  return endOfOpenSpan && blackout
    ? endOfOpenSpan < blackout
      ? endOfOpenSpan
      : blackout
    : (endOfOpenSpan ?? blackout);
}

export function describeClosedWindow(
  name: string,
  { timeZone }: RunWindows,
  state: WindowState & { open: false },
): string {
  const why = state.blackout === null ? '' : ` (${state.blackout})`;
  const openingText =
    state.opensAt === null ? 'and does not open again' : `until ${formatTime(state.opensAt, timeZone)}`;
  return `"${name}" is outside of its run windows${why} ${openingText}.`;
}

function formatTime(at: Date, timeZone: string): string {
  const local = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' }).format(at);
  return `${at.toISOString()} (${local} ${timeZone})`;
}
