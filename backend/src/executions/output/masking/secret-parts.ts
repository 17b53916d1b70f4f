import { isMaskable } from '../../../common/variables/secret-rules.js';

/** A line of a multi-line value is looked for by itself from this many characters on. */
const MIN_LINE = 4;

/**
 * What to look for so that a value is masked: the value, and each of its lines that is long enough, because terminals and
 * tools change line ends. White space around them is left out: shells drop it, and it tells nothing. Shorter lines are
 * masked only where the whole value stands. Empty when the value can't be masked.
 */
export function secretParts(value: string): Buffer[] {
  if (!isMaskable(value)) return [];
  const whole = value.trim();
  const lines = whole.split(/\r\n|\r|\n/).map((line) => line.trim());
  const parts = new Set([whole, ...lines.filter((line) => [...line].length >= MIN_LINE)]);
  return [...parts].map((part) => Buffer.from(part));
}
