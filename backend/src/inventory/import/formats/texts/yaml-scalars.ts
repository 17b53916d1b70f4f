import { toExactNumber } from './variable-values.ts';

const SCALAR_VALUE_BY_WORD: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word): [string, null] => [word, null]),
  ...['yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word): [string, boolean] => [word, true]),
  ...['no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word): [string, boolean] => [word, false]),
]);
const DECIMAL_PATTERN = /^[+-]?(?:0|[1-9][0-9_]*)$/;
const OCTAL_PATTERN = /^([+-]?)0([0-7_]+)$/;
const PREFIXED_INTEGER_PATTERN = /^([+-]?)0(?:x([0-9a-fA-F_]+)|b([01_]+))$/;
const FLOAT_PATTERN = /^(?:[+-]?[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-][0-9]+)?$/;
const SEXAGESIMAL_INTEGER_PATTERN = /^([+-]?)([1-9][0-9_]*)((?::[0-5]?[0-9])+)$/;
const SEXAGESIMAL_FLOAT_PATTERN = /^([+-]?)([0-9][0-9_]*)((?::[0-5]?[0-9])+\.[0-9_]*)$/;

/**
 * Reads an unquoted scalar as Ansible does: YAML 1.1 as in PyYAML. `yes` is true, `0644` is 420, and `12:30` is 750,
 * but `y` is text.
 */
export function parsePlainScalar(source: string): string | number | boolean | null {
  const word = SCALAR_VALUE_BY_WORD.get(source);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(source)) return source;
  const digits = source.replaceAll('_', '');
  if (DECIMAL_PATTERN.test(source) || FLOAT_PATTERN.test(source)) return toExactNumber(digits);
  const octal = OCTAL_PATTERN.exec(digits);
  if (octal) return toSignedNumber(octal[1], `0o${octal[2] ?? '0'}`);
  const prefixedInteger = PREFIXED_INTEGER_PATTERN.exec(digits);
  if (prefixedInteger)
    return toSignedNumber(
      prefixedInteger[1],
      prefixedInteger[2] === undefined ? `0b${prefixedInteger[3] ?? '0'}` : `0x${prefixedInteger[2]}`,
    );
  return parseSexagesimal(digits) ?? source;
}

function toSignedNumber(sign: string | undefined, digits: string): number | string {
  const value = BigInt(digits);
  return toExactNumber(String(sign === '-' ? -value : value));
}

/** Reads a base-60 number, which does not begin with 0: `1:30` is 90. */
function parseSexagesimal(digits: string): number | string | null {
  if (digits.length > 20) return null;
  const found = SEXAGESIMAL_INTEGER_PATTERN.exec(digits) ?? SEXAGESIMAL_FLOAT_PATTERN.exec(digits);
  if (!found) return null;
  const value = `${found[2]}${found[3]}`.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return toExactNumber(
    `${found[1] === '-' ? '-' : ''}${value}${digits.includes('.') && Number.isInteger(value) ? '.0' : ''}`,
  );
}
