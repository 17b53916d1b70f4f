/** Longest piece of a caller's text that an answer repeats, in UTF-16 units: no answer gives a megabyte back. */
export const MAX_SHOWN = 100;

/** A name or value of a caller as a message shows it: what is long is cut, and ends with `…`. */
export function shown(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  return `${text.slice(0, MAX_SHOWN).replace(/\p{Surrogate}$/u, '')}…`;
}

/** The name of a field as a part of a JSON pointer (RFC 6901), without the slash before it; what is long is cut. */
export const pointerPart = (name: string): string => shown(name).replaceAll('~', '~0').replaceAll('/', '~1');
