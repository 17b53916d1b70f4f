const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long is waited after the first failed try, the second one, and so on; after the last of these, as long each time. */
export const DELAYS_MS: readonly number[] = [
  ...[5 * SECOND, 15 * SECOND, 45 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  HOUR,
];
/** A delivery that failed and is older than this is dead. */
export const TRIED_FOR_MS = 24 * HOUR;
/** What a receiver may ask for at the most. */
const LONGEST_ASKED_MS = HOUR;
/** Of a delay, both ways: what failed together is not tried again together. */
const JITTER = 0.2;

/**
 * How long is waited after a failed try, in ms.
 * @param tries how many failed so far
 * @param asked what the receiver asked for (`Retry-After`), in ms
 * @param random from 0 to 1
 */
export function delayAfter(tries: number, asked: number | null, random: number): number {
  const usual = DELAYS_MS[Math.min(tries, DELAYS_MS.length) - 1] ?? HOUR;
  const delay = usual * (1 - JITTER + 2 * JITTER * random);
  return Math.round(Math.max(delay, Math.min(asked ?? 0, LONGEST_ASKED_MS)));
}

/** What `Retry-After` asks for (RFC 9110, 10.2.3), in ms; null for none that can be read. */
export function retryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const at = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
