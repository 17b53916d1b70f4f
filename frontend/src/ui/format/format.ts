/**
 * Units, each with its length and the age from which it is used, in seconds. 90 days stay days and do not become 3
 * months.
 */
const UNITS: [unit: Intl.RelativeTimeFormatUnit, length: number, from: number][] = [
  ['year', 31_536_000, 63_072_000],
  ['month', 2_592_000, 8_640_000],
  ['day', 86_400, 86_400],
  ['hour', 3600, 3600],
  ['minute', 60, 60],
];

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
const short = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

export function relativeTime(iso: string, now: number): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000);
  // Keeps the minutes of a deadline, because rounding down to hours would understate the remaining time.
  if (seconds >= 3600 && seconds < 2 * 86_400) return `in ${limit(seconds * 1000)}`;
  for (const [unit, size, from] of UNITS) {
    if (Math.abs(seconds) >= from) return relativeFormat.format(Math.trunc(seconds / size), unit).replace('.', '');
  }
  if (seconds > 5) return 'in less than a minute';
  return seconds > -10 ? 'just now' : `${-seconds} s ago`;
}

export const exactTime = (iso: string): string => exact.format(new Date(iso));

/** Date and time to the minute, for texts. */
export const shortTime = (iso: string): string => short.format(new Date(iso));

export const clockTime = (iso: string): string => clock.format(new Date(iso));

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 10) return `${(ms / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Duration without trailing zero parts: `2 min` instead of `2 min 0 s`. */
export const limit = (ms: number): string => duration(ms).replace(/(\.0| 0 min| 0 s)(?= s$|$)/, '');

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  if (count < 1024 * 1024) return `${(count / 1024).toFixed(1)} KiB`;
  if (count < 1024 ** 3) return `${(count / 1024 ** 2).toFixed(1)} MiB`;
  if (count < 1024 ** 4) return `${(count / 1024 ** 3).toFixed(1)} GiB`;
  return `${(count / 1024 ** 4).toFixed(1)} TiB`;
}
