/** How long each restart within the window is waited for, in ms. There are no more restarts than delays. */
const DELAYS_MS = [200, 600, 1_800, 5_000, 10_000];

/** What ended longer ago than this says nothing about the next restart, in ms. */
export const RESTART_WINDOW_MS = 10 * 60_000;
export const MOST_RESTARTS = DELAYS_MS.length;

/**
 * When a server that ended is started again.
 * @param restarts when it was started again before, in ms of a monotonic clock
 * @returns ms to wait; null when it was started again too often of late
 */
export function restartDelay(restarts: readonly number[], now: number): number | null {
  const recent = restarts.filter((at) => now - at < RESTART_WINDOW_MS);
  return DELAYS_MS[recent.length] ?? null;
}
