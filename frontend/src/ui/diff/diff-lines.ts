import { diffArrays } from 'diff';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Maximum number of pairs of lines to compare. Beyond it, the whole text is shown as replaced. */
const MAX_PAIRS = 250_000;

/**
 * Returns the differences between two texts, line by line. Removed lines come before the added ones that replace them.
 */
export function diffLines(before: string | null, after: string | null): DiffLine[] {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)];
  const isOneSided = oldLines.length === 0 || newLines.length === 0;
  if (isOneSided || oldLines.length * newLines.length > MAX_PAIRS)
    return [...oldLines.map(removed), ...newLines.map(added)];
  return diffArrays(oldLines, newLines).flatMap((change) =>
    change.value.map(change.added ? added : change.removed ? removed : same),
  );
}

/** Parses a unified diff of a dry run. Drops its file headers. */
export function readDiff(diff: string): DiffLine[] {
  const lines = linesOf(diff.replace(/\n$/, ''));
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return lines.flatMap((line, at): DiffLine[] => {
    if (at < first && /^(\+\+\+|---)/.test(line)) return [];
    if (line.startsWith('+')) return [added(line.slice(1))];
    if (line.startsWith('-')) return [removed(line.slice(1))];
    return [same(line.startsWith(' ') ? line.slice(1) : line)];
  });
}

const linesOf = (text: string | null): string[] => (text === null ? [] : text.split('\n'));
const same = (text: string): DiffLine => ({ kind: 'same', text });
const removed = (text: string): DiffLine => ({ kind: 'removed', text });
const added = (text: string): DiffLine => ({ kind: 'added', text });
