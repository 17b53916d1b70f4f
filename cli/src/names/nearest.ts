/** Returns up to three names that differ from the input by at most a third of its characters. */
export function findNearestNames(typed: string, names: readonly string[]): string[] {
  const input = typed.toLowerCase();
  const near = names.map((name) => ({ name, far: relativeDistance(input, name.toLowerCase()) }));
  return near
    .filter(({ far }) => far <= Math.max(1, Math.min(3, Math.floor(input.length / 3))))
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** A name that contains the input counts as nearly equal, with distance 1. */
const relativeDistance = (input: string, name: string): number =>
  input.length >= 3 && name.includes(input) ? 1 : computeEditDistance(input, name);

/** Returns the Damerau-Levenshtein distance. Only for short names. */
function computeEditDistance(a: string, b: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(before, j - 2) + 1 : Infinity;
      next[j] = Math.min(changed, swapped, at(row, j) + 1, at(next, j - 1) + 1);
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

const at = (row: number[] | undefined, index: number): number => row?.[index] ?? 0;
