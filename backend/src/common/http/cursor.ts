/** One column of a page's sort key. */
export type CursorValue = string | number | null;

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
 * a caller may make one up, so check how many values there are and of which type, and use them as parameters only.
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
