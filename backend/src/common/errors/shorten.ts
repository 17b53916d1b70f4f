/** Maximum length of a caller's text in an answer, in UTF-16 units, so that no answer repeats a megabyte. */
export const MAX_TEXT_LENGTH = 100;

/** A caller's name or value for a message: a long one is cut and ends with `…`. */
export function shortened(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  return `${text.slice(0, MAX_TEXT_LENGTH).replace(/\p{Surrogate}$/u, '')}…`;
}

/** A field name as part of a JSON pointer (RFC 6901), without the leading slash; a long one is cut. */
export const pointerPart = (name: string): string => shortened(name).replaceAll('~', '~0').replaceAll('/', '~1');
