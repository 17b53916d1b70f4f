import { isMaskable } from '../../../variables/secret-rules.js';

/** Minimum length of a line of a multi-line value that is masked alone, in characters. */
const MIN_LINE_BYTES = 4;

/**
 * Returns the parts to search for: the whole value, and each line of sufficient length, because terminals and tools
 * change line ends. Shorter lines are masked only within the whole value. Trims white space, which shells drop and
 * which reveals nothing. Returns an empty list if the value cannot be masked.
 */
export function listSecretParts(value: string): Buffer[] {
  if (!isMaskable(value)) return [];
  const whole = value.trim();
  const lines = whole.split(/\r\n|\r|\n/).map((line) => line.trim());
  const parts = new Set([whole, ...lines.filter((line) => [...line].length >= MIN_LINE_BYTES)]);
  return [...parts].map((part) => Buffer.from(part));
}
