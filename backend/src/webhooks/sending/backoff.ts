const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delays after the first, second, … failed attempt. The last delay repeats. */
export const DELAYS_MS: readonly number[] = [
  ...[5 * SECOND, 15 * SECOND, 45 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  HOUR,
];
/** Age after which a failed delivery becomes dead, in ms. */
export const MAX_TRYING_MS = 24 * HOUR;
/** Upper limit for the delay of `Retry-After`, in ms. */
const MAX_RETRY_AFTER_MS = HOUR;
/**
 * Share by which a delay varies in both directions, so that deliveries that failed together are not retried together.
 */
const JITTER_SHARE = 0.2;

/**
 * Delay after a failed attempt, in ms.
 * @param tries number of failed attempts so far
 * @param requested delay from the receiver's `Retry-After`, in ms
 * @param random from 0 to 1
 */
export function computeRetryDelayMs(tries: number, requested: number | null, random: number): number {
  const usual = DELAYS_MS[Math.min(tries, DELAYS_MS.length) - 1] ?? HOUR;
  const delay = usual * (1 - JITTER_SHARE + 2 * JITTER_SHARE * random);
  return Math.round(Math.max(delay, Math.min(requested ?? 0, MAX_RETRY_AFTER_MS)));
}

/** Delay in `Retry-After` (RFC 9110, 10.2.3), in ms; null = absent or invalid. */
export function parseRetryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const at = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
