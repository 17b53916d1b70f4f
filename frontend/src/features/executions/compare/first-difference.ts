import type { LogLine } from '../output/log/log-window';
import { isEqual } from './output-pairs';

/** Number of parts that are read to find a difference. */
const MAX_PARTS = 10;

export interface FirstDifference {
  /** First line of the part with the difference; 1 if none was found. */
  from: number;
  /** Number of lines that were read and are the same in both outputs, if more follow; null = the part was found, or all were read. */
  sameLines: number | null;
}

interface Part {
  lines: readonly LogLine[];
  /** Number of the last line of the output. */
  last: number;
}

/**
 * Finds the part in which two outputs first differ.
 * @param partLines number of lines of a part
 * @param readPart reads a part of both outputs from a line on
 */
export async function findFirstDifference(
  partLines: number,
  readPart: (from: number) => Promise<{ before: Part; after: Part }>,
): Promise<FirstDifference> {
  for (let part = 0; part < MAX_PARTS; part += 1) {
    const from = part * partLines + 1;
    const { before, after } = await readPart(from);
    const length = Math.max(before.lines.length, after.lines.length);
    for (let index = 0; index < length; index += 1) {
      const [one, other] = [before.lines[index], after.lines[index]];
      if (!one || !other || one.number !== other.number || !isEqual(one, other)) return { from, sameLines: null };
    }
    if (Math.max(before.last, after.last) < from + partLines) return { from: 1, sameLines: null };
  }
  return { from: 1, sameLines: MAX_PARTS * partLines };
}
