/** Tolerance between the host's uptime in whole seconds and the duration measured here, in ms. */
const ROUNDING_MS = 2_000;
/** Maximum relative difference of clock speeds. */
const DRIFT = 0.01;
/** Age at which a host may remove unrequested entries (`forgetText`), in ms. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * Reason to doubt a host that does not know a command and claims that it never started it; null: no doubt. It compares
 * durations only, each measured by one clock. Close cases count against the host.
 *
 * - A host that booted after the intent was stored may have lost its journal: its home was in memory, its container was
 *   recreated, or its file system lost the last seconds before a crash.
 * - Entries that runs leave on a host are removed after seven days.
 *
 * @param hostUpMs uptime of the host; undefined: not reported
 * @param sinceIntentMs age of the stored intent when the host's answer arrived; null: not known
 */
export function doubtOfNeverStarted(hostUpMs: number | undefined, sinceIntentMs: number | null): string | null {
  const longestMs = sinceIntentMs === null ? Infinity : sinceIntentMs * (1 + DRIFT) + ROUNDING_MS;
  if (hostUpMs !== undefined && hostUpMs < longestMs) {
    return 'The host booted after the command should have started, and has no journal of it. It is unknown whether the command began before the boot.';
  }
  if (sinceIntentMs === null || longestMs < KEPT_MS) return null;
  return 'The command should have started more than seven days ago, and the host may have removed its journal. It is unknown whether the command began.';
}
