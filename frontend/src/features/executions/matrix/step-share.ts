import type { ExecutionStep, HostStatus } from '../../../api/types';
import { statusStyle, type Tone } from '../../../ui/status/statuses';

const TONES: readonly Tone[] = ['good', 'muted', 'active', 'warn', 'bad'];

export interface StepShare {
  tone: Tone;
  count: number;
}

/** Returns the number of hosts of a step by tone, in a fixed order, without zeros and without hosts that wait. */
export function stepShares({ counts }: Pick<ExecutionStep, 'counts'>): StepShare[] {
  const byTone = new Map<Tone, number>();
  for (const [status, count] of Object.entries(counts)) {
    const { tone } = statusStyle(status as HostStatus);
    byTone.set(tone, (byTone.get(tone) ?? 0) + count);
  }
  return TONES.flatMap((tone) => {
    const count = byTone.get(tone) ?? 0;
    return count > 0 ? [{ tone, count }] : [];
  });
}
