/** Part of a text: ordinary characters, or one invisible character. */
export interface TextPart {
  text: string;
  /** Code point of the invisible character; null = ordinary text. */
  hidden: string | null;
}

const NAMES: Record<number, string> = {
  0x00a0: 'no-break space',
  0x00ad: 'soft hyphen',
  0x061c: 'Arabic letter mark',
  0x180e: 'Mongolian vowel separator',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'pop directional isolate',
  0x3164: 'Hangul filler',
  0xfeff: 'byte order mark',
};

/** Characters that are invisible or change how others look: control and format characters, special spaces, fillers. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\u00a0\u2800]/gu;
const PLAIN = new Set(['\n', '\t']);

/** Replaces invisible characters by their code points, because a person must see exactly what will run. */
export function visibleParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    if (PLAIN.has(character)) continue;
    if (index > from) parts.push({ text: text.slice(from, index), hidden: null });
    parts.push({ text: codeOf(character), hidden: nameOf(character) });
    from = index + character.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), hidden: null });
  return parts;
}

const codePointOf = (character: string): number => character.codePointAt(0) ?? 0;
const codeOf = (character: string): string => `U+${codePointOf(character).toString(16).toUpperCase().padStart(4, '0')}`;
const nameOf = (character: string): string => NAMES[codePointOf(character)] ?? 'invisible character';
