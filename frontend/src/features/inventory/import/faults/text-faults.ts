import type { ImportFault, ProblemItem } from '../../../../api/types';

export type TextFault = Pick<ImportFault, 'line' | 'entry' | 'message'>;

const PLACE = /^(?:Line (\d+)(?:, |(?=:)))?(?:"(.*?)")?: ([^]+)$/;

/** A fault of the text with its place, which the server writes in front: `Line 3, "web-1": …`. */
export function textFault({ message }: Pick<ProblemItem, 'message'>): TextFault {
  const found = PLACE.exec(message);
  const [line, entry, rest] = [found?.[1], found?.[2], found?.[3]];
  if ((line === undefined && entry === undefined) || rest === undefined) return { line: null, entry: null, message };
  return { line: line === undefined ? null : Number(line), entry: entry ?? null, message: rest };
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
