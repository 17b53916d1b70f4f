/** Answers of a service that restarts, is busy, or of the proxy before it. */
const PASSING_STATUS = new Set([408, 429, 502, 503, 504]);
/** The first of the repeated requests is still under way. */
const PASSING_CODE = 'idempotency_in_progress';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

/** Whether the same request may well be answered if it is sent again. */
export const isPassing = (status: number, code: string | undefined): boolean =>
  PASSING_STATUS.has(status) || code === PASSING_CODE;

/**
 * How long to wait before the next attempt: longer each time, not in step with others, and never shorter than the
 * service asked for. @param random from 0 up to 1
 */
export function pauseBefore(attempt: number, retryAfter: string | null, random: number): number {
  const own = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1)) * (0.75 + random / 2);
  const asked = retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) * 1000 : 0;
  return Math.max(own, asked);
}
