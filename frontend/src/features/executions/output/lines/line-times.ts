import { clockTime } from '../../../../ui/format/format';

/** Times beside output lines: none, the time of day, or the time since the start of the run. */
export const TIME_FORMS = ['off', 'clock', 'elapsed'] as const;
export type TimeForm = (typeof TIME_FORMS)[number];

/** Returns the stored choice, which was a boolean in earlier versions. */
export const toTimeForm = (stored: unknown): TimeForm =>
  stored === true ? 'clock' : (TIME_FORMS.find((form) => form === stored) ?? 'off');

export const nextTimeForm = (form: TimeForm): TimeForm =>
  TIME_FORMS[(TIME_FORMS.indexOf(form) + 1) % TIME_FORMS.length] ?? 'off';

/**
 * Returns the time of a line as text; null = none.
 * @param start start of the run; null: it has not begun
 */
export function lineTime(form: TimeForm, at: string, start: string | null): string | null {
  if (form === 'off') return null;
  if (form === 'clock' || start === null) return clockTime(at);
  const ms = Math.max(0, Date.parse(at) - Date.parse(start));
  const minutes = Math.floor(ms / 60_000);
  const seconds = ((ms % 60_000) / 1000).toFixed(1).padStart(4, '0');
  const hours = Math.floor(minutes / 60);
  const head = hours > 0 ? `${hours}:${String(minutes % 60).padStart(2, '0')}` : String(minutes);
  return `+${head}:${seconds}`;
}
