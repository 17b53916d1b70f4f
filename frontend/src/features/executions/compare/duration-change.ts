import { duration } from '../../../ui/format/format';

export interface DurationChange {
  text: string;
  tone: 'slower' | 'faster' | 'same';
}

/** Changes below both limits are noise. */
const MIN_CHANGE_MS = 1_000;
const MIN_SHARE = 0.2;

/** Returns the change of a duration, such as `+12 s`; null = one of both is not known. */
export function durationChange(before: number | null, after: number | null): DurationChange | null {
  if (before === null || after === null) return null;
  const change = after - before;
  if (Math.abs(change) < MIN_CHANGE_MS || Math.abs(change) < MIN_SHARE * before) return { text: '', tone: 'same' };
  return change > 0
    ? { text: `+${duration(change)}`, tone: 'slower' }
    : { text: `−${duration(-change)}`, tone: 'faster' };
}
