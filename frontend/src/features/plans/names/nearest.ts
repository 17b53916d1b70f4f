/** Returns the most similar word; null: none is similar. */
export function nearest(word: string, known: readonly string[]): string | null {
  const most = Math.min(2, Math.floor(word.length / 2));
  const [best] = known
    .filter((each) => Math.abs(each.length - word.length) <= most)
    .map((each) => ({ each, distance: distance(each.toLowerCase(), word.toLowerCase()) }))
    .filter((one) => one.distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return best?.each ?? null;
}

function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let to = 0; to < other.length; to += 1) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1);
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
