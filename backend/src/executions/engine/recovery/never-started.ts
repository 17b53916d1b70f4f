/** What a host tells to the second, and what is measured here, may be apart by so much, in ms. */
const ROUNDING_MS = 2_000;
/** By how much one clock may run faster than another. */
const DRIFT = 0.01;
/** A host may remove what nobody asked for so long (`forgetText`), in ms. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * Why a host that knows nothing of a command can't be taken at its word that it never started it; null: it can.
 * Durations only, each by one clock; what is too close to tell counts against the host.
 *
 * - A host that came up after the intent was stored may have lost what it knew: its home was in memory, its container
 *   was made anew, or its file system lost the last seconds before a crash.
 * - What runs left on a host is removed after seven days.
 *
 * @param hostUpMs for how long the host has been up; undefined: it doesn't tell
 * @param sinceIntentMs for how long the intent had been stored when the host's answer had come; null: not known
 */
export function doubtOfNeverStarted(hostUpMs: number | undefined, sinceIntentMs: number | null): string | null {
  const longestMs = sinceIntentMs === null ? Infinity : sinceIntentMs * (1 + DRIFT) + ROUNDING_MS;
  if (hostUpMs !== undefined && hostUpMs < longestMs) {
    return 'The host came up after the command was to be started, and keeps nothing of it: nobody can tell whether it began before.';
  }
  if (sinceIntentMs === null || longestMs < KEPT_MS) return null;
  return 'The command was to be started so long ago that the host may have removed what it kept of it: nobody can tell whether it began.';
}
