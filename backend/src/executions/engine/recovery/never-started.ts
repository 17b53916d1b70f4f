/** Tolerance in ms: the host reports its uptime in whole seconds. */
const ROUNDING_MS = 2_000;
/** Maximum relative difference in clock speed between the host and this process. */
const CLOCK_DRIFT = 0.01;
/** Age after which a host may remove journal entries that no worker asks for (`forgetCommand`), in ms. */
const JOURNAL_LIFETIME_MS = 7 * 24 * 3_600_000;

/**
 * Returns a reason to doubt a host's answer that it never started a command; null: no doubt. Only durations are
 * compared, each measured by one clock. Close cases count as doubtful.
 *
 * - A host that booted after the intent was stored may have lost its journal. Examples: a home in memory, a recreated
 *   container, a file system that lost its last seconds in a crash.
 * - A host removes old journal entries after seven days.
 *
 * @param hostUpMs uptime of the host; undefined: not reported
 * @param sinceIntentMs age of the stored intent when the host's answer arrived; null: unknown
 */
export function findNeverStartedDoubt(hostUpMs: number | undefined, sinceIntentMs: number | null): string | null {
  const longestMs = sinceIntentMs === null ? Infinity : sinceIntentMs * (1 + CLOCK_DRIFT) + ROUNDING_MS;
  if (hostUpMs !== undefined && hostUpMs < longestMs) {
    return 'The host booted after the command should have started, and has no journal of it. It is unknown whether the command began before the boot.';
  }
  if (sinceIntentMs === null || longestMs < JOURNAL_LIFETIME_MS) return null;
  return 'The command should have started more than seven days ago, and the host may have removed its journal. It is unknown whether the command began.';
}
