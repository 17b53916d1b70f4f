import type { ActiveFreeze, RunMode } from '../../api/types';
import { shortTime } from '../format/format';
import { type Override, overrideReason, startObstacle } from '../forms/start-override';

export const holds = (freeze: ActiveFreeze | null, now: number): freeze is ActiveFreeze =>
  freeze !== null && Date.parse(freeze.until) > now;

/** Returns text such as `Frozen until 24 Nov 2026, 08:00: Release 4.2 goes out`. */
export const frozenText = ({ reason, until }: Pick<ActiveFreeze, 'reason' | 'until'>): string =>
  `Frozen until ${shortTime(until)}: ${reason}`;

export const reasonText = (reason: string): string => (/[.!?]$/.test(reason) ? reason : `${reason}.`);

/** Returns why a start is not possible; null = it is. A freeze does not apply to dry runs. */
export const freezeObstacle = (freeze: ActiveFreeze | null, mode: RunMode, override: Override): string | null =>
  startObstacle(
    freeze && { text: frozenText(freeze), missingReason: 'Enter the reason for starting despite the freeze' },
    mode,
    override,
  );

export function overrideField(
  freeze: ActiveFreeze | null,
  mode: RunMode,
  override: Override,
): { freezeOverride?: string } {
  const freezeOverride = overrideReason(freeze !== null, mode, override);
  return freezeOverride === undefined ? {} : { freezeOverride };
}
