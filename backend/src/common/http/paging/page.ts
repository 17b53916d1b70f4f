import { encodeCursor, readCursor } from './cursor.js';

/** Page size unless the caller asks for another. */
export const DEFAULT_LIMIT = 50;

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** The last id of the page before, or null on the first page. @throws Problem 400 for a cursor that is none of ours */
export const cursorId = (cursor: string | undefined): string | null => readCursor(cursor, ['id'])?.[0] ?? null;

/** Cuts the one row too many off and tells where to go on. */
export function pageFrom<R extends { id: string }, T>(rows: R[], limit: number, view: (row: R) => T): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(view), nextCursor: rows.length > limit && last ? encodeCursor([last.id]) : null };
}

/** Pattern for a name search: the text anywhere in the name, its own wildcards taken literally. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
