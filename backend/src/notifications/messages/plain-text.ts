/** Characters that are invisible, or that reorder or hide the text around them. */
const INVISIBLE_CHARACTERS = /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

const toCodePointName = (character: string): string =>
  `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;

/** Shortens a text without splitting a character. */
export const truncateText = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;

/**
 * Returns another author's text as one line. Line breaks and other control characters become spaces; invisible
 * characters become visible codes.
 */
export const toOneLine = (text: string, limit = 200): string =>
  truncateText(
    text
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .replace(INVISIBLE_CHARACTERS, toCodePointName)
      .trim(),
    limit,
  );

/**
 * Returns one line of output with its leading spaces. A tab becomes two spaces, and other control characters become
 * `·`.
 */
export const toOutputLine = (text: string, limit = 500): string =>
  truncateText(
    text
      .replace(/\t/g, '  ')
      .replace(/[\p{Cc}\u2028\u2029]/gu, '·')
      .replace(INVISIBLE_CHARACTERS, toCodePointName)
      .trimEnd(),
    limit,
  );

export const utcTime = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export function listSome(names: readonly string[], more = 0, limit = 10): string {
  const listed = names.slice(0, limit).map((name) => toOneLine(name, 100));
  const left = names.length - listed.length + more;
  return left > 0 ? `${listed.join(', ')} and ${left} more` : listed.join(', ');
}

export function truncateToBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const bytes = Buffer.from(text).subarray(0, limit - 3);
  return `${bytes.toString().replace(/\ufffd+$/u, '')}…`;
}
