import { invalidRequest } from '../../errors/problem.js';
import { isId } from '../../ids.js';

export type CursorValue = string | number | null;

const CURSOR_VALUE_CHECKS = {
  id: (value: CursorValue) => typeof value === 'string' && isId(value),
  text: (value: CursorValue) => typeof value === 'string',
  ordinal: (value: CursorValue) => isWholeNumber(value, 2 ** 31 - 1),
  sequence: (value: CursorValue) => isWholeNumber(value, Number.MAX_SAFE_INTEGER),
} as const;
type CursorValueKind = keyof typeof CURSOR_VALUE_CHECKS;
type CursorValueOfKind<K extends CursorValueKind> = K extends 'id' | 'text' ? string : number;

const isWholeNumber = (value: CursorValue, limit: number) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= limit;

/** Version of the encoding. A new layout gets a new number, so that old cursors are rejected and not misread. */
const CURSOR_VERSION = 1;

/** Maximum length of a cursor. The longest sort key, a name of about 200 characters, stays far below it. */
const MAX_CURSOR_LENGTH = 4096;

/**
 * Encodes the sort key of a page's last row as opaque text for URLs.
 * @throws RangeError for a number that JSON cannot represent
 */
export function encodeCursor(values: readonly CursorValue[]): string {
  if (values.some((value) => typeof value === 'number' && !Number.isFinite(value))) {
    throw new RangeError('A cursor holds finite numbers only.');
  }
  return Buffer.from(JSON.stringify([CURSOR_VERSION, ...values])).toString('base64url');
}

/**
 * Decodes a cursor; null = text that {@link encodeCursor} cannot produce. Cursors are not signed and can be forged, so
 * `readCursor` validates the number and types of the values.
 */
export function decodeCursor(text: string): CursorValue[] | null {
  if (text.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(text)) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
  if (!Array.isArray(parsed) || parsed[0] !== CURSOR_VERSION) return null;
  const values: unknown[] = parsed.slice(1);
  // PostgreSQL rejects NUL and lone surrogates in text, so no row contains them.
  const isCursorValue = (value: unknown): value is CursorValue =>
    value === null ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    (typeof value === 'string' && !value.includes('\0') && !/\p{Surrogate}/u.test(value));
  if (!values.every(isCursorValue)) return null;
  return encodeCursor(values) === text ? values : null;
}

/**
 * Returns the values of a request's cursor, for use only as SQL parameters; null = no cursor.
 *
 * @param kinds expected kinds, in order
 * @param parameter name of the query parameter
 * @param field response field that contains the cursor
 * @param sort sort order of the list; if it is not the default, the cursor must begin with it
 * @throws Problem 400 `invalid_cursor`
 */
export function readCursor<const K extends readonly CursorValueKind[]>(
  text: string | undefined,
  kinds: K,
  { parameter = 'cursor', field = 'nextCursor', sort }: { parameter?: string; field?: string; sort?: string } = {},
): { [I in keyof K]: CursorValueOfKind<K[I]> } | null {
  if (text === undefined) return null;
  const decoded = decodeCursor(text);
  const values = sort === undefined ? decoded : decoded?.[0] === sort ? decoded.slice(1) : null;
  if (
    values?.length === kinds.length &&
    values.every((value, at) => CURSOR_VALUE_CHECKS[kinds[at] as CursorValueKind](value))
  )
    return values as { [I in keyof K]: CursorValueOfKind<K[I]> };
  const message = `${parameter} must be ${field} of the previous answer, unchanged and with the same sort.`;
  throw invalidRequest([{ path: `?${parameter}`, code: 'invalid_cursor', message }]);
}
