/** Statuses of a service that restarts or is busy, or of its proxy. */
const TRANSIENT_STATUSES = new Set([408, 429, 502, 503, 504]);
/** Code of the service while the first request with the same idempotency key is still running. */
const TRANSIENT_CODE = 'idempotency_in_progress';

const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 2_000;

export const isTransient = (status: number, code: string | undefined): boolean =>
  TRANSIENT_STATUSES.has(status) || code === TRANSIENT_CODE;

/**
 * Returns the delay before the next attempt, in ms: exponential with jitter, and at least the delay that the service
 * requested.
 * @param random from 0 up to 1
 */
export function pauseBeforeAttempt(attempt: number, retryAfter: string | null, random: number): number {
  const own = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (attempt - 1)) * (0.75 + random / 2);
  const requested = retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) * 1000 : 0;
  return Math.max(own, requested);
}
