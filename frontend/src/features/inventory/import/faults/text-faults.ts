import type { ImportFault, ProblemItem } from '../../../../api/types';

export type TextFault = Pick<ImportFault, 'line' | 'entry' | 'message'>;

/** A fault of the text; its message has the place in front, which is told apart from it here. */
export function textFault({ message, ...item }: Omit<ProblemItem, 'path' | 'code'>): TextFault {
  const [line, entry] = [item.line ?? null, item.entry ?? null];
  const place = [line === null ? null : `line ${line}`, entry === null ? null : `"${entry}"`]
    .filter(Boolean)
    .join(', ');
  const prefix = place === '' ? '' : `${place.charAt(0).toUpperCase()}${place.slice(1)}: `;
  return { line, entry, message: message.startsWith(prefix) ? message.slice(prefix.length) : message };
}

/** Where a fault is: `Line 3, web-1`; empty: nowhere in particular. */
export const placeOf = ({ line, entry }: Pick<ImportFault, 'line' | 'entry'>): string =>
  [line === null ? null : `Line ${line}`, entry].filter((part) => part !== null).join(', ');

/** Where a line of a text begins and ends; of the last line when there are fewer. */
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
