import { Drop } from 'liquidjs';

/** Invalid use of a value. The message is for the author of the template. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
  readonly code: 'invalid_value' | 'secret_in_expression' | 'invalid_template' | 'too_much';

  constructor(code: ValueError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export const invalid = (message: string): ValueError => new ValueError('invalid_value', message);

/** Implementation of a filter. liquidjs passes named arguments as pairs, see {@link readArguments}. */
export type FilterFunction = (value: unknown, ...args: unknown[]) => unknown;

/** @throws ValueError for lists, maps and missing values */
export function toPlainText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) throw invalid("This is a list. Say how to write it: | join: ', ' or | to_json.");
  if (isMissing(value)) throw invalid("This has no value. Say what to use instead: | default: 'x'.");
  throw invalid('This is neither a text nor a number. Name one of its fields, or use | to_json.');
}

export function requireList(filter: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw invalid(`The filter ${filter} needs a list.`);
}

/** Whether the value is undefined, null, or a Drop that represents null. */
export const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || (value instanceof Drop && value.valueOf() === null);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isMissing(value);

/**
 * Returns the arguments of a filter by name. An argument is positional or `name: value`, which liquidjs passes as a
 * pair.
 * @throws ValueError for too many arguments
 */
export function readArguments(
  filter: string,
  filterArguments: readonly unknown[],
  names: readonly string[],
): Record<string, unknown> {
  const read: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  let next = 0;
  for (const arg of filterArguments) {
    if (Array.isArray(arg) && arg.length === 2 && names.includes(String(arg[0]))) {
      read[String(arg[0])] = arg[1];
      continue;
    }
    const name = names[next];
    if (name === undefined || Array.isArray(arg))
      throw invalid(
        names.length === 0
          ? `The filter ${filter} takes no argument.`
          : `The filter ${filter} takes ${names.join(', ')}, and nothing else.`,
      );
    read[name] = arg;
    next += 1;
  }
  return read;
}

/** @throws ValueError unless the value is a whole number from `min` to `max` */
export function wholeNumber(filter: string, value: unknown, min: number, max: number): number {
  const number = typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < min || number > max)
    throw invalid(`The filter ${filter} takes a whole number from ${min} to ${max}.`);
  return number;
}
