import type { Environment, RunMode, RunWindowState } from '../../api/types';
import { shortTime } from '../format/format';

/** Whether runs may begin, and until or from when. */
export function windowText({ open, closesAt, opensAt, blackout }: RunWindowState): string {
  if (open) return closesAt ? `The run window is open until ${shortTime(closesAt)}.` : 'The run window is open.';
  const why = blackout ? ` (${blackout})` : '';
  return opensAt ? `Outside the run windows${why} until ${shortTime(opensAt)}.` : `Outside the run windows${why}.`;
}

/** The state while the windows are closed; a cached one may have ended. Null: they are open, or there are none. */
export function closedWindow(
  environment: Pick<Environment, 'runWindowState'> | undefined,
  now: number,
): RunWindowState | null {
  const state = environment?.runWindowState ?? null;
  if (state === null || state.open) return null;
  return state.opensAt !== null && Date.parse(state.opensAt) <= now ? null : state;
}

/** Why a start is not possible; null when it is. @param override the reason as typed; null: not overridden */
export function windowObstacle(closed: RunWindowState | null, mode: RunMode, override: string | null): string | null {
  if (closed === null || mode === 'dry_run') return null;
  if (override === null) return windowText(closed);
  return override.trim() === '' ? 'Enter the reason for starting outside the run windows' : null;
}

/** The field of a start or rerun. */
export const windowOverrideField = (
  closed: RunWindowState | null,
  mode: RunMode,
  override: string | null,
): { windowOverride?: string } =>
  closed !== null && mode !== 'dry_run' && override !== null && override.trim() !== ''
    ? { windowOverride: override.trim() }
    : {};
