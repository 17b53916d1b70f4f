import type { PreviewScheduleRequest, ScheduleSummary } from '../../../api/types';

export const UNITS = [
  { value: '60', label: 'minutes' },
  { value: '3600', label: 'hours' },
  { value: '86400', label: 'days' },
];

export interface TimingForm {
  kind: 'cron' | 'interval';
  cron: string;
  timeZone: string;
  every: number | string;
  /** Length of the unit in seconds, as text. */
  unit: string;
}

export const EXAMPLES = [
  { value: '0 2 * * *', label: 'Daily at 02:00' },
  { value: '0 8 * * 1-5', label: 'Weekdays at 08:00' },
  { value: '0 6 * * 1', label: 'Mondays at 06:00' },
  { value: '0 * * * *', label: 'Hourly' },
  { value: '*/15 * * * *', label: 'Every 15 minutes' },
  { value: '0 3 1 * *', label: 'First day of each month at 03:00' },
  { value: '0 3 L * *', label: 'Last day of each month at 03:00' },
];

/** Names of the fields of an expression, in order. */
export const CRON_FIELDS = ['minute', 'hour', 'day of month', 'month', 'weekday'] as const;

/** Splits an expression into fields with their names. Fields after the fifth have no name. */
export const cronParts = (cron: string): { name: string | null; text: string }[] =>
  cron
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map((text, index) => ({ name: CRON_FIELDS[index] ?? null, text }));

export const secondsOf = ({ every, unit }: Pick<TimingForm, 'every' | 'unit'>): number =>
  Math.round(Number(every) * Number(unit));

export const timingOf = (form: TimingForm): PreviewScheduleRequest =>
  form.kind === 'cron'
    ? { cron: form.cron.trim(), timeZone: form.timeZone }
    : { everySeconds: secondsOf(form), timeZone: form.timeZone };

export function intervalOf(seconds: number): Pick<TimingForm, 'every' | 'unit'> {
  const unit = [...UNITS].reverse().find(({ value }) => seconds % Number(value) === 0) ?? { value: '60' };
  return { every: seconds / Number(unit.value), unit: unit.value };
}

/** Describes the timing. An example is described by its label. */
export function timingText({
  cron,
  everySeconds,
  timeZone,
}: Pick<ScheduleSummary, 'cron' | 'everySeconds' | 'timeZone'>): string {
  if (cron !== null) return `${EXAMPLES.find(({ value }) => value === cron)?.label ?? cron} (${timeZone})`;
  const { every, unit } = intervalOf(everySeconds ?? 0);
  const word = UNITS.find(({ value }) => value === unit)?.label ?? 'seconds';
  return every === 1 ? `Every ${word.slice(0, -1)}` : `Every ${every} ${word}`;
}
