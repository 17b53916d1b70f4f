/**
 * Invisible characters, and characters that change the display of the surrounding text: control characters, line and
 * paragraph separators, direction marks and overrides. Joiners (U+200C, U+200D) are allowed: scripts and emoji need
 * them.
 */
const HIDDEN_CHARACTERS_PATTERN =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
export const VISIBLE_LINE_PATTERN = new RegExp(`^(?!.*${HIDDEN_CHARACTERS_PATTERN.source}).+$`, 'su');
/** Like `HIDDEN_CHARACTERS_PATTERN`, but allows tabs and line breaks. */
const HIDDEN_IN_LINES_PATTERN = new RegExp(`(?!\\t|\\n|\\r\\n)${HIDDEN_CHARACTERS_PATTERN.source}`, 'u');

const HIDDEN_CHARACTER_NAMES: Readonly<Record<string, string>> = {
  '\t': 'tab',
  '\n': 'line break',
  '\r': 'carriage return',
  '\u001b': 'escape',
  '\u200b': 'zero width space',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u202a': 'left-to-right embedding',
  '\u202b': 'right-to-left embedding',
  '\u202d': 'left-to-right override',
  '\u202e': 'right-to-left override',
  '\u2066': 'left-to-right isolate',
  '\u2067': 'right-to-left isolate',
  '\ufeff': 'byte order mark',
};

/** `one`: names and addresses. `several`: descriptions, comments and reasons. */
export type LineCount = 'one' | 'several';

/**
 * Returns why a text is not allowed as name (`one`) or description (`several`); null = allowed. Positions count
 * characters from 1.
 */
export function findHiddenCharacterFault(text: string, lines: LineCount = 'one'): string | null {
  const found = (lines === 'one' ? HIDDEN_CHARACTERS_PATTERN : HIDDEN_IN_LINES_PATTERN).exec(text);
  if (!found) return null;
  const [character] = found;
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const name =
    HIDDEN_CHARACTER_NAMES[character] ?? (/\p{Cc}/u.test(character) ? 'control character' : 'invisible character');
  const position = Array.from(text.slice(0, found.index)).length + 1;
  return `must not contain ${code} (${name}), which is character ${position}. Remove it`;
}

export const replaceHiddenCharacters = (text: string): string =>
  text.replace(new RegExp(HIDDEN_IN_LINES_PATTERN, 'gu'), '\uFFFD');
