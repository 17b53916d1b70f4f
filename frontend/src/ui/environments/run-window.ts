import type { Environment, RunMode, RunWindowState } from '../../api/types';
import { shortTime } from '../format/format';
import { type Override, overrideReason, startObstacle } from '../forms/start-override';

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

/** Returns why a start is not possible; null = it is. */
export const windowObstacle = (closed: RunWindowState | null, mode: RunMode, override: Override): string | null =>
  startObstacle(
    closed && { text: windowText(closed), missingReason: 'Enter the reason for starting outside the run windows' },
    mode,
    override,
  );

export function windowOverrideField(
  closed: RunWindowState | null,
  mode: RunMode,
  override: Override,
): { windowOverride?: string } {
  const windowOverride = overrideReason(closed !== null, mode, override);
  return windowOverride === undefined ? {} : { windowOverride };
}
