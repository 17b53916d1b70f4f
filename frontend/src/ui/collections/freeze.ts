import type { ActiveFreeze, RunMode } from '../../api/types';
import { shortTime } from '../format/format';

export const holds = (freeze: ActiveFreeze | null, now: number): freeze is ActiveFreeze =>
  freeze !== null && Date.parse(freeze.until) > now;

/** Returns text such as `Frozen until 24 Nov 2026, 08:00: Release 4.2 goes out`. */
export const frozenText = ({ reason, until }: Pick<ActiveFreeze, 'reason' | 'until'>): string =>
  `Frozen until ${shortTime(until)}: ${reason}`;

export const reasonText = (reason: string): string => (/[.!?]$/.test(reason) ? reason : `${reason}.`);

/** Reason with which an admin overrides the freeze; null = no override. */
export type Override = string | null;

/** Returns why a start is not possible; null = it is. A freeze does not apply to dry runs. */
export function freezeObstacle(freeze: ActiveFreeze | null, mode: RunMode, override: Override): string | null {
  if (freeze === null || mode === 'dry_run') return null;
  if (override === null) return frozenText(freeze);
  return override.trim() === '' ? 'Enter the reason for starting despite the freeze' : null;
}

export const overrideField = (
  freeze: ActiveFreeze | null,
  mode: RunMode,
  override: Override,
): { freezeOverride?: string } =>
  freeze !== null && mode !== 'dry_run' && override !== null && override.trim() !== ''
    ? { freezeOverride: override.trim() }
    : {};
