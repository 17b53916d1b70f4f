import { parseDuration } from './durations.ts';
import { usage } from './failure.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Returns a local time with its offset from UTC, such as `2026-11-28 14:05 +01:00`. */
export function formatTime(at: string | null): string {
  if (at === null) return '–';
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const two = (number: number) => String(number).padStart(2, '0');
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())} ${zone}`;
}

/** Returns the distance of a time from `now`, such as `5 min ago` or `in 2 h`. */
export function formatAge(at: string | null, now: number): string {
  if (at === null) return '–';
  const ms = now - new Date(at).getTime();
  if (Number.isNaN(ms)) return at;
  const distance = toDistance(Math.abs(ms));
  return ms < 0 ? `in ${distance}` : `${distance} ago`;
}

function toDistance(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} d`;
}

/** Returns a time and its distance from now. */
export const formatTimeWithAge = (at: string | null): string =>
  at === null ? '–' : `${formatTime(at)} (${formatAge(at, Date.now())})`;

/** A time without a zone could mean two different moments on two machines. */
const TIME_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * Parses a time with its zone, or a distance from now such as `2h`.
 * @param direction of a distance: 1 = later, -1 = earlier
 */
export function parseTime(text: string, direction: 1 | -1 = 1): string {
  if (/^\d+(?:\.\d+)?(?:s|m|h|d)/.test(text))
    return new Date(Date.now() + direction * parseDuration(text)).toISOString();
  const at = TIME_PATTERN.test(text) ? new Date(text) : null;
  if (at === null || Number.isNaN(at.getTime()))
    throw usage(
      `"${text}" is not a time: use a time with its zone such as 2026-12-01T02:00:00+01:00, or a ${direction > 0 ? 'delay' : 'duration before now'} such as 2h.`,
    );
  return at.toISOString();
}
