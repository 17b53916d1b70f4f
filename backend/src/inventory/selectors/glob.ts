/**
 * Matches a glob against the whole text: `*` any characters, `?` exactly one. Backtracks only to the last `*`, so the
 * work is at most glob length × text length.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const pattern = Array.from(glob);
  const characters = Array.from(text);
  let at = 0;
  let read = 0;
  let star = -1;
  let textIndexAtStar = 0;
  while (read < characters.length) {
    if (pattern[at] === '*') {
      star = at++;
      textIndexAtStar = read;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === characters[read])) {
      at++;
      read++;
    } else if (star >= 0) {
      at = star + 1;
      read = ++textIndexAtStar;
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((character) => character === '*');
}
