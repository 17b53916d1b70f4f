/** Maximum length of a caller's text in a response, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 100;

/** Shortens a caller's name or value for a message. A text that was cut ends with `…`. */
export function shortenText(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  return `${text.slice(0, MAX_TEXT_LENGTH).replace(/\p{Surrogate}$/u, '')}…`;
}

/** Converts a field name to a part of a JSON pointer (RFC 6901), without the leading slash. Cuts a long name. */
export const toPointerPart = (name: string): string => shortenText(name).replaceAll('~', '~0').replaceAll('/', '~1');
