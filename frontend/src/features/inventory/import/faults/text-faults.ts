import type { ImportFault, ProblemItem } from '../../../../api/types';

export type TextFault = Pick<ImportFault, 'line' | 'entry'> & { message: string };

/** Splits the position in the text from an error message. */
export function textFault({ message, ...item }: Omit<ProblemItem, 'path' | 'code'>): TextFault {
  const [line, entry] = [item.line ?? null, item.entry ?? null];
  const place = [line === null ? null : `line ${line}`, entry === null ? null : `"${entry}"`]
    .filter(Boolean)
    .join(', ');
  const prefix = place === '' ? '' : `${place.charAt(0).toUpperCase()}${place.slice(1)}: `;
  return { line, entry, message: message.startsWith(prefix) ? message.slice(prefix.length) : message };
}

/** Position of an error, such as `Line 3, web-1`; empty: none. */
export const placeOf = ({ line, entry }: Pick<ImportFault, 'line' | 'entry'>): string =>
  [line === null ? null : `Line ${line}`, entry].filter((part) => part !== null).join(', ');

/** Returns start and end of a line. If the line does not exist, uses the last line. */
export function lineRange(text: string, line: number): [start: number, end: number] {
  let start = 0;
  for (let number = 1; number < line; number += 1) {
    const next = text.indexOf('\n', start) + 1;
    if (next === 0) break;
    start = next;
  }
  const end = text.indexOf('\n', start);
  return [start, end < 0 ? text.length : end];
}
