/** Waits before a message is tried again, in seconds; the last one is that of all further attempts. */
const WAITS = [30, 60, 2 * 60, 5 * 60, 10 * 60, 20 * 60, 40 * 60, 60 * 60, 2 * 60 * 60];
/** Of a wait, so that messages that failed together do not come again together. */
const JITTER = 0.1;

/**
 * In how many seconds a message is tried again.
 * @param attempts that failed so far
 * @param secondsLeft for which it is tried at all
 * @param random from 0 to 1
 * @param atLeast what the receiver asks for
 * @returns null: not any more
 */
export function retryInSeconds(attempts: number, secondsLeft: number, random: number, atLeast = 0): number | null {
  const wait = WAITS[Math.min(Math.max(attempts, 1), WAITS.length) - 1] ?? 0;
  const seconds = Math.max(Math.round(wait * (1 + JITTER * (2 * random - 1))), atLeast);
  return seconds < secondsLeft ? seconds : null;
}
