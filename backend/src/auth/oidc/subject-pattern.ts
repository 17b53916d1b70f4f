/** Most `*` in one pattern. */
export const MOST_STARS = 10;

/** What parts of a subject are set apart by: `repo:acme/shop:ref:refs/heads/main`. */
const SEPARATORS = /[:/]/g;

/**
 * Whether a subject fits a pattern, in which `*` stands for any characters, none and separators too. Every other
 * character stands for itself. Each piece is taken where it comes first, so that it costs no more than their lengths.
 */
export function fitsSubject(pattern: string, subject: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return subject === pattern;
  if (!subject.startsWith(first)) return false;
  let from = first.length;
  for (const piece of pieces) {
    const at = subject.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return subject.length - last.length >= from && subject.endsWith(last);
}

/**
 * Whether a pattern says enough of whom it trusts: `repo:acme*` would fit `repo:acme-evil/…` too, and anybody can call
 * themselves that. Two parts have to be whole before the first `*`, as in `repo:acme/*`.
 */
export function isBounded(pattern: string): boolean {
  const star = pattern.indexOf('*');
  return star < 0 || (pattern.slice(0, star).match(SEPARATORS) ?? []).length >= 2;
}
