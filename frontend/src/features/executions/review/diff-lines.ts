export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Beyond so many pairs of lines a common subsequence costs too much; the whole text is shown as replaced then. */
const MAX_PAIRS = 250_000;

/** Two texts, line by line: what was taken away, what came, what stayed. */
export function diffLines(before: string | null, after: string | null): DiffLine[] {
  const [was, is] = [linesOf(before), linesOf(after)];
  if (was.length * is.length > MAX_PAIRS) return [...was.map(removed), ...is.map(added)];
  const length = commonLengths(was, is);
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < was.length || b < is.length) {
    if (a < was.length && b < is.length && was[a] === is[b]) {
      lines.push({ kind: 'same', text: was[a] ?? '' });
      a += 1;
      b += 1;
    } else if (b === is.length || (a < was.length && at(length, a + 1, b) >= at(length, a, b + 1))) {
      lines.push(removed(was[a] ?? ''));
      a += 1;
    } else {
      lines.push(added(is[b] ?? ''));
      b += 1;
    }
  }
  return lines;
}

/** Reads a unified diff, as a dry run hands it on; file heads are left out. */
export const readDiff = (diff: string): DiffLine[] =>
  linesOf(diff.replace(/\n$/, '')).flatMap((line): DiffLine[] => {
    if (line.startsWith('+++') || line.startsWith('---')) return [];
    if (line.startsWith('+')) return [added(line.slice(1))];
    if (line.startsWith('-')) return [removed(line.slice(1))];
    return [{ kind: 'same', text: line.startsWith(' ') ? line.slice(1) : line }];
  });

const linesOf = (text: string | null): string[] => (text === null ? [] : text.split('\n'));
const removed = (text: string): DiffLine => ({ kind: 'removed', text });
const added = (text: string): DiffLine => ({ kind: 'added', text });
const at = (table: number[][], a: number, b: number): number => table[a]?.[b] ?? 0;

/** For each pair of places, how many lines the rests have in common in their order. */
function commonLengths(was: readonly string[], is: readonly string[]): number[][] {
  const table: number[][] = Array.from({ length: was.length + 1 }, () => new Array<number>(is.length + 1).fill(0));
  for (let a = was.length - 1; a >= 0; a -= 1) {
    for (let b = is.length - 1; b >= 0; b -= 1) {
      const row = table[a] as number[];
      row[b] = was[a] === is[b] ? at(table, a + 1, b + 1) + 1 : Math.max(at(table, a + 1, b), at(table, a, b + 1));
    }
  }
  return table;
}
