/** Delays before retries, in seconds. The last one applies to all further retries. */
const RETRY_DELAYS_SECONDS = [30, 60, 2 * 60, 5 * 60, 10 * 60, 20 * 60, 40 * 60, 60 * 60, 2 * 60 * 60];
const JITTER_SHARE = 0.1;

/**
 * Returns the delay before the next retry, in seconds; null: no further retry.
 * @param attempts failed attempts so far
 * @param secondsLeft remaining time for retries
 * @param random from 0 to 1
 * @param minSeconds minimum delay that the receiver requested, in seconds
 */
export function computeRetrySeconds(
  attempts: number,
  secondsLeft: number,
  random: number,
  minSeconds = 0,
): number | null {
  const wait = RETRY_DELAYS_SECONDS[Math.min(Math.max(attempts, 1), RETRY_DELAYS_SECONDS.length) - 1] ?? 0;
  const seconds = Math.max(Math.round(wait * (1 + JITTER_SHARE * (2 * random - 1))), minSeconds);
  return seconds < secondsLeft ? seconds : null;
}
