/**
 * Number of decimal digits up to which different numbers are different doubles (IEEE 754, DBL_DIG), except for
 * subnormal doubles.
 */
const EXACT_DIGITS = 15;
const MIN_NORMAL_NUMBER = 2 ** -1022;
const [ZERO, E, CAPITAL_E] = ['0', 'e', 'E'].map((char) => char.charCodeAt(0)) as [number, number, number];

/**
 * Whether a JSON number keeps its value as a double: integers within ±(2^53 − 1), and fractions that the double prints
 * with the same digits. 0.1 and 1.50 pass. 1e400, 1e-400, 9007199254740993 and 0.12345678901234567890 do not.
 *
 * @param raw number as written
 * @param value parsed double
 */
export function isExactNumber(raw: string, value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  if (hasExactDigitCount(raw) && Math.abs(value) >= MIN_NORMAL_NUMBER) return true;
  const printedValue = String(value);
  if (raw === printedValue) return true;
  const rawDecimal = parseDecimal(raw);
  const printedDecimal = parseDecimal(printedValue);
  return (
    rawDecimal.digits === printedDecimal.digits &&
    (rawDecimal.digits === '' || rawDecimal.exponent === printedDecimal.exponent)
  );
}

/** Fast path: reads at most a few characters, because a body may contain tens of thousands of numbers. */
function hasExactDigitCount(raw: string): boolean {
  let digits = 0;
  for (let at = 0; at < raw.length; at += 1) {
    const code = raw.charCodeAt(at);
    if (code === E || code === CAPITAL_E) return true;
    if (code >= ZERO && code <= ZERO + 9) digits += 1;
    if (digits > EXACT_DIGITS) return false;
  }
  return true;
}

/**
 * Returns significant digits and power of ten: "-0.0120" is 12 × 10^-3; zero has no digits. Uses loops, because /0+$/
 * takes quadratic time.
 */
function parseDecimal(raw: string): { digits: string; exponent: number } {
  const e = raw.search(/[eE]/);
  const mantissa = raw.slice(raw.startsWith('-') ? 1 : 0, e < 0 ? raw.length : e);
  const point = mantissa.indexOf('.');
  const all = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  const decimals = point < 0 ? 0 : mantissa.length - point - 1;
  let end = all.length;
  while (end > 0 && all.charCodeAt(end - 1) === ZERO) end -= 1;
  let start = 0;
  while (start < end && all.charCodeAt(start) === ZERO) start += 1;
  return {
    digits: all.slice(start, end),
    exponent: (e < 0 ? 0 : Number(raw.slice(e + 1))) - decimals + (all.length - end),
  };
}
