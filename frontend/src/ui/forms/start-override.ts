import type { RunMode } from '../../api/types';

/** Reason with which an admin overrides a freeze or closed run windows, as typed; null = no override. */
export type Override = string | null;

/**
 * Returns why a start is not possible; null = it is. Dry runs are never blocked.
 * @param block null = nothing blocks the start
 */
export function startObstacle(
  block: { text: string; missingReason: string } | null,
  mode: RunMode,
  override: Override,
): string | null {
  if (block === null || mode === 'dry_run') return null;
  if (override === null) return block.text;
  return override.trim() === '' ? block.missingReason : null;
}

/** Returns the reason to send; undefined = none. */
export const overrideReason = (blocked: boolean, mode: RunMode, override: Override): string | undefined =>
  (blocked && mode !== 'dry_run' && override?.trim()) || undefined;
