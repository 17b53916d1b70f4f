import type { Occurrences, OccurringSchedule, ScheduleFire } from '../../../api/types';
import { statusStyle, type StatusStyle, type Tone } from '../../../ui/status/statuses';
import { OUTCOMES } from '../state/outcomes';

/** Occurrences of one schedule on one day. */
export interface DayEntry {
  schedule: OccurringSchedule;
  /** First time of the day, ISO 8601. */
  at: string;
  count: number;
  /** Worst result of the past occurrences; null = all are coming. */
  result: StatusStyle | null;
  /** Run of that result; null = none. */
  executionId: string | null;
  /** Number of earlier occurrences that were missed. */
  missed: number;
  /** Other schedules that start at the same time in the same environment. */
  overlaps: string[];
}

const WORST_FIRST: readonly Tone[] = ['bad', 'warn', 'active', 'idle', 'muted', 'good'];

export const resultOf = ({
  executionStatus,
  outcome,
}: Pick<ScheduleFire, 'executionStatus' | 'outcome'>): StatusStyle =>
  executionStatus ? statusStyle(executionStatus) : OUTCOMES[outcome];

/** Date by the clock of the browser, as `2026-11-28`. */
export function localDate(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/**
 * Days of the week or of the weeks of the month with this date, from Monday. Days begin at midnight by the clock of the
 * browser, also when clocks change.
 */
export function daysOf(date: string, span: 'week' | 'month'): Date[] {
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number);
  const from = span === 'week' ? new Date(year, month - 1, day) : new Date(year, month - 1, 1);
  const monday = from.getDate() - ((from.getDay() + 6) % 7);
  const last = span === 'week' ? from : new Date(year, month, 0);
  const first = new Date(from.getFullYear(), from.getMonth(), monday);
  const days: Date[] = [];
  for (let index = 0; index < 42; index += 1) {
    const next = new Date(first.getFullYear(), first.getMonth(), first.getDate() + index);
    if (index % 7 === 0 && next > last) break;
    days.push(next);
  }
  return days;
}

/** Groups occurrences by day and schedule, in order of time. */
export function entriesByDay({ schedules, past, coming }: Occurrences): Map<string, DayEntry[]> {
  const known = new Map(schedules.map((schedule) => [schedule.id, schedule]));
  const overlaps = findOverlaps(coming, known);
  const days = new Map<string, Map<string, DayEntry>>();
  const entryOf = (scheduleId: string, at: string): DayEntry | null => {
    const schedule = known.get(scheduleId);
    if (!schedule) return null;
    const day = localDate(new Date(at));
    const entries = days.get(day) ?? new Map<string, DayEntry>();
    days.set(day, entries);
    const entry = entries.get(scheduleId) ?? {
      schedule,
      at,
      count: 0,
      result: null,
      executionId: null,
      missed: 0,
      overlaps: [],
    };
    entries.set(scheduleId, entry);
    entry.count += 1;
    if (at < entry.at) entry.at = at;
    return entry;
  };
  for (const fire of past) {
    const entry = entryOf(fire.scheduleId, fire.at);
    if (!entry) continue;
    entry.missed += fire.missed;
    const result = resultOf(fire);
    if (entry.result && WORST_FIRST.indexOf(entry.result.tone) <= WORST_FIRST.indexOf(result.tone)) continue;
    entry.result = result;
    entry.executionId = fire.executionId;
  }
  for (const { scheduleId, at } of coming) {
    const entry = entryOf(scheduleId, at);
    for (const name of overlaps.get(`${scheduleId} ${at}`) ?? [])
      if (entry && !entry.overlaps.includes(name)) entry.overlaps.push(name);
  }
  return new Map(
    [...days].map(([day, entries]) => [day, [...entries.values()].toSorted((a, b) => a.at.localeCompare(b.at))]),
  );
}

/** Names of schedules that start in the same environment and minute, by schedule and time. */
function findOverlaps(
  coming: Occurrences['coming'],
  known: ReadonlyMap<string, OccurringSchedule>,
): Map<string, string[]> {
  const groups = new Map<string, Occurrences['coming']>();
  for (const occurrence of coming) {
    const key = `${known.get(occurrence.scheduleId)?.environmentId} ${occurrence.at.slice(0, 16)}`;
    groups.set(key, [...(groups.get(key) ?? []), occurrence]);
  }
  return new Map(
    [...groups.values()].flatMap((group) =>
      group.map(({ scheduleId, at }): [string, string[]] => [
        `${scheduleId} ${at}`,
        group.flatMap((other) => (other.scheduleId === scheduleId ? [] : (known.get(other.scheduleId)?.name ?? []))),
      ]),
    ),
  );
}
