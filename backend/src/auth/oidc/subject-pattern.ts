export const MAX_WILDCARDS = 10;

/** Separators of the parts of a subject: `repo:acme/shop:ref:refs/heads/main`. */
const SUBJECT_SEPARATORS_PATTERN = /[:/]/g;

/**
 * Whether a subject matches a pattern. `*` matches any characters, including separators and none; every other character
 * matches only itself. Each piece is matched at its first occurrence, so the lengths limit the cost.
 */
export function matchesSubject(pattern: string, subject: string): boolean {
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
 * Whether a pattern is specific enough. `repo:acme*` would also match `repo:acme-evil/…`, a name that anyone can
 * register. The first two parts must be complete before the first `*`, as in `repo:acme/*`.
 */
export function isBounded(pattern: string): boolean {
  const star = pattern.indexOf('*');
  return star < 0 || (pattern.slice(0, star).match(SUBJECT_SEPARATORS_PATTERN) ?? []).length >= 2;
}
