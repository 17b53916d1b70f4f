const INTEGER_PATTERN = /^[+-]?\d+$/;

/**
 * Returns a decimal number as Ansible's templates print it. `2.0` stays the text "2.0", because the number would print
 * as 2. A whole number stays text if a JavaScript number would change its digits.
 */
export function toExactNumber(source: string): number | string {
  const value = Number(source);
  if (!Number.isFinite(value)) return source;
  if (INTEGER_PATTERN.test(source)) return Number.isSafeInteger(value) ? value || 0 : source;
  if (!Number.isInteger(value)) return value;
  return Math.abs(value) < 1e16 ? value.toFixed(1) : source;
}
