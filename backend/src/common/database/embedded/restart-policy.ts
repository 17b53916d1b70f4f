/** Delays before the restarts within the window, in ms. Their number limits the restarts. */
const DELAYS_MS = [200, 600, 1_800, 5_000, 10_000];

/** Window in which restarts count, in ms. */
export const RESTART_WINDOW_MS = 10 * 60_000;
export const MAX_RESTARTS = DELAYS_MS.length;

/**
 * Delay before the next restart of an ended server.
 * @param restarts times of earlier restarts, in ms of a monotonic clock
 * @returns delay in ms; null: too many recent restarts
 */
export function restartDelay(restarts: readonly number[], now: number): number | null {
  const recentRestarts = restarts.filter((at) => now - at < RESTART_WINDOW_MS);
  return DELAYS_MS[recentRestarts.length] ?? null;
}
