import { invalidRequest } from '../../errors/problem.js';
import { isId } from '../../ids.js';

/** One column of a page's sort key. */
export type CursorValue = string | number | null;

/** What one value of a cursor has to be. */
const KINDS = {
  id: (value: CursorValue) => typeof value === 'string' && isId(value),
  text: (value: CursorValue) => typeof value === 'string',
  /** Of an integer column, from 0. */
  ordinal: (value: CursorValue) => isWhole(value, 2 ** 31 - 1),
  /** Of a bigint column, from 0. */
  sequence: (value: CursorValue) => isWhole(value, Number.MAX_SAFE_INTEGER),
} as const;
type Kind = keyof typeof KINDS;
type ValueOf<K extends Kind> = K extends 'id' | 'text' ? string : number;

const isWhole = (value: CursorValue, most: number) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most;

/** The first element of what is encoded; another layout gets another number, and old cursors are refused rather than misread. */
const VERSION = 1;

/** Cursors stand in URLs; the longest sort key, a name of some 200 characters, stays far below. */
const MAX_LENGTH = 4096;

/**
 * The place in a list where the next page starts, as opaque text for URLs: the sort key of the last row shown.
 * @throws RangeError for a number that JSON can't hold
 */
export function encodeCursor(values: readonly CursorValue[]): string {
  if (values.some((value) => typeof value === 'number' && !Number.isFinite(value))) {
    throw new RangeError('A cursor holds finite numbers only.');
  }
  return Buffer.from(JSON.stringify([VERSION, ...values])).toString('base64url');
}

/**
 * The values that {@link encodeCursor} was given, or null when the text is nothing it could have made. The text is not signed:
 * a caller may make one up, so `readCursor` checks how many values there are and of which type.
 */
export function decodeCursor(text: string): CursorValue[] | null {
  if (text.length > MAX_LENGTH || !/^[\w-]+$/.test(text)) return null;
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return null;
  }
  if (!Array.isArray(parsed) || parsed[0] !== VERSION) return null;
  const values: unknown[] = parsed.slice(1);
  // NUL and lone surrogates can't be stored as text, so no row has them and PostgreSQL would fail on them.
  const sound = (value: unknown): value is CursorValue =>
    value === null ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    (typeof value === 'string' && !value.includes('\0') && !/\p{Surrogate}/u.test(value));
  if (!values.every(sound)) return null;
  return encodeCursor(values) === text ? values : null;
}

/**
 * The values of a cursor that a caller sent, to be used as parameters only; null when none was sent.
 *
 * @param kinds what they have to be, in their order
 * @param parameter name of the query parameter
 * @param field of an answer that it comes from
 * @param sort how the list is sorted, where that is not the usual way: such a cursor begins with it
 * @throws Problem 400 `invalid_cursor`
 */
export function readCursor<const K extends readonly Kind[]>(
  text: string | undefined,
  kinds: K,
  { parameter = 'cursor', field = 'nextCursor', sort }: { parameter?: string; field?: string; sort?: string } = {},
): { [I in keyof K]: ValueOf<K[I]> } | null {
  if (text === undefined) return null;
  const decoded = decodeCursor(text);
  const values = sort === undefined ? decoded : decoded?.[0] === sort ? decoded.slice(1) : null;
  if (values?.length === kinds.length && values.every((value, at) => KINDS[kinds[at] as Kind](value)))
    return values as { [I in keyof K]: ValueOf<K[I]> };
  const message = `${parameter} must be ${field} of the previous answer, unchanged and with the same sort.`;
  throw invalidRequest([{ path: `?${parameter}`, code: 'invalid_cursor', message }]);
}
