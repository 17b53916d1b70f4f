import type { Environment, RunMode, RunWindowState } from '../../api/types';
import { shortTime } from '../format/format';

/** Says whether runs may begin, and until or from when. */
export function windowText({ open, closesAt, opensAt, blackout }: RunWindowState): string {
  if (open) return closesAt ? `The run window is open until ${shortTime(closesAt)}.` : 'The run window is open.';
  const why = blackout ? ` (${blackout})` : '';
  return opensAt ? `Outside the run windows${why} until ${shortTime(opensAt)}.` : `Outside the run windows${why}.`;
}

/**
 * Returns the state while the run windows are closed, because a cached one may have ended; null = open, or no windows.
 */
export function closedWindow(
  environment: Pick<Environment, 'runWindowState'> | undefined,
  now: number,
): RunWindowState | null {
  const state = environment?.runWindowState ?? null;
  if (state === null || state.open) return null;
  return state.opensAt !== null && Date.parse(state.opensAt) <= now ? null : state;
}

/**
 * Returns why a start is not possible; null = it is.
 * @param override reason as typed; null = no override
 */
export function windowObstacle(closed: RunWindowState | null, mode: RunMode, override: string | null): string | null {
  if (closed === null || mode === 'dry_run') return null;
  if (override === null) return windowText(closed);
  return override.trim() === '' ? 'Enter the reason for starting outside the run windows' : null;
}

export const windowOverrideField = (
  closed: RunWindowState | null,
  mode: RunMode,
  override: string | null,
): { windowOverride?: string } =>
  closed !== null && mode !== 'dry_run' && override !== null && override.trim() !== ''
    ? { windowOverride: override.trim() }
    : {};
