import type { Blackout, OpenSpan, RunWindows, Weekday } from '../../../api/types';

export const WEEK: { value: Weekday; label: string; short: string }[] = [
  { value: 'mon', label: 'Monday', short: 'Mon' },
  { value: 'tue', label: 'Tuesday', short: 'Tue' },
  { value: 'wed', label: 'Wednesday', short: 'Wed' },
  { value: 'thu', label: 'Thursday', short: 'Thu' },
  { value: 'fri', label: 'Friday', short: 'Fri' },
  { value: 'sat', label: 'Saturday', short: 'Sat' },
  { value: 'sun', label: 'Sunday', short: 'Sun' },
];

export interface WindowsForm {
  limited: boolean;
  timeZone: string;
  open: OpenSpan[];
  blackouts: Blackout[];
}

export const NEW_SPAN: OpenSpan = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '20:00', to: '06:00' };
export const NEW_BLACKOUT: Blackout = { from: '', to: '', reason: '' };

export const formOf = (windows: RunWindows | null, timeZone: string): WindowsForm => ({
  limited: windows !== null,
  timeZone: windows?.timeZone ?? timeZone,
  open: windows?.open ?? [NEW_SPAN],
  blackouts: windows?.blackouts ?? [],
});

/** Null = runs can start at any time. */
export const toRunWindows = ({ limited, timeZone, open, blackouts }: WindowsForm): RunWindows | null =>
  limited ? { timeZone, open, blackouts } : null;

/** In minutes since midnight. */
export interface OpenInterval {
  from: number;
  to: number;
}

const DAY = 1440;

function minutesOf(time: string): number | null {
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(time) ?? [];
  return hours === undefined || minutes === undefined ? null : Number(hours) * 60 + Number(minutes);
}

/**
 * Returns the open periods of each weekday. Merges adjacent and overlapping periods. A period past midnight appears on
 * both days.
 */
export function weekOf(open: readonly OpenSpan[]): Map<Weekday, OpenInterval[]> {
  const week = new Map<Weekday, OpenInterval[]>(WEEK.map(({ value }) => [value, []]));
  const add = (day: Weekday | undefined, interval: OpenInterval) => {
    if (day !== undefined && interval.from < interval.to) week.get(day)?.push(interval);
  };
  for (const { days, from: begin, to: end } of open) {
    const [from, to] = [minutesOf(begin), minutesOf(end)];
    if (from === null || to === null || from === to) continue;
    for (const day of days) {
      add(day, { from, to: from < to ? to : DAY });
      const next = WEEK[(WEEK.findIndex(({ value }) => value === day) + 1) % WEEK.length];
      if (from > to) add(next?.value, { from: 0, to });
    }
  }
  return new Map([...week].map(([day, intervals]) => [day, mergeIntervals(intervals)]));
}

function mergeIntervals(intervals: readonly OpenInterval[]): OpenInterval[] {
  const all: OpenInterval[] = [];
  for (const { from, to } of [...intervals].sort((one, other) => one.from - other.from)) {
    const last = all.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Text alternative of the bars, such as `20:00–24:00`. */
export const intervalText = ({ from, to }: OpenInterval): string => `${clock(from)}–${clock(to)}`;

export const dayText = (intervals: readonly OpenInterval[]): string =>
  intervals.length === 0 ? 'closed' : intervals.map(intervalText).join(', ');
