import { usage } from './failure.ts';

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION_PATTERN = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
/** Maximum duration in ms, just below the upper limit of timers. */
const MAX_DURATION_MS = 24 * 86_400_000;

/** Parses `90s`, `15m` or `1h30m`; a number alone is in seconds. Returns ms. */
export function parseDuration(text: string): number {
  const whole = /^\d+$/.test(text) ? `${text}s` : text;
  if (!DURATION_PATTERN.test(whole)) throw usage(`"${text}" is not a duration: use a form such as 90s, 15m or 1h30m.`);
  let ms = 0;
  for (const [, number, unit] of whole.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    ms += Number(number) * (UNITS[unit ?? ''] ?? 0);
  if (ms > MAX_DURATION_MS) throw usage(`"${text}" is longer than 24 days.`);
  return ms;
}

/** Returns a readable duration: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
