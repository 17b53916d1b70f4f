/** Delays before each restart within the window, in ms. After the last one, the server is not restarted. */
const RESTART_DELAYS_MS = [200, 600, 1_800, 5_000, 10_000];

export const RESTART_WINDOW_MS = 10 * 60_000;
export const MAX_RESTARTS = RESTART_DELAYS_MS.length;

export function computeRestartDelay(restarts: readonly number[], now: number): number | null {
  const recentRestarts = restarts.filter((at) => now - at < RESTART_WINDOW_MS);
  return RESTART_DELAYS_MS[recentRestarts.length] ?? null;
}
