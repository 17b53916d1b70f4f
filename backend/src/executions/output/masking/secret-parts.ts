import { isMaskable } from '../../../common/variables/secret-rules.js';

/** Minimum number of characters from which a line of a multi-line value is masked alone. */
const MIN_LINE = 4;

/**
 * Returns the parts to search for: the whole value, and each long enough line, because terminals and tools change line
 * ends. Trims white space, which shells drop and which reveals nothing. Shorter lines are masked only within the whole
 * value. Empty when the value cannot be masked.
 */
export function secretParts(value: string): Buffer[] {
  if (!isMaskable(value)) return [];
  const whole = value.trim();
  const lines = whole.split(/\r\n|\r|\n/).map((line) => line.trim());
  const parts = new Set([whole, ...lines.filter((line) => [...line].length >= MIN_LINE)]);
  return [...parts].map((part) => Buffer.from(part));
}
