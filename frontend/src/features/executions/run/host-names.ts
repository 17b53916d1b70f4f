/** Characters at the end of a name that stay visible when the name is cut. */
const TAIL_LENGTH = 8;

/** Returns the suffix, from a dot on, that all names share; '' if there is none or only one name. */
export function commonSuffix(names: readonly string[]): string {
  const [first = '', ...others] = names;
  if (others.length === 0) return '';
  for (let at = first.indexOf('.', 1); at >= 0; at = first.indexOf('.', at + 1)) {
    const suffix = first.slice(at);
    if (others.every((name) => name.length > suffix.length && name.endsWith(suffix))) return suffix;
  }
  return '';
}

/** Splits a name into the part that may be cut, and its end, in which names usually differ. */
export function splitName(name: string): [head: string, tail: string] {
  const characters = Array.from(name);
  const at = Math.max(0, characters.length - TAIL_LENGTH);
  return [characters.slice(0, at).join(''), characters.slice(at).join('')];
}
