import { describe, expect, it } from 'vitest';
import { visibleParts } from './visible-text';

const hidden = (text: string) =>
  visibleParts(text).flatMap((part) => (part.hidden === null ? [] : [[part.text, part.hidden]]));

describe('a text that a person approves', () => {
  it('is one part when nothing in it is hidden, with its lines, tabs and letters of any language', () => {
    const text = 'echo "é 日本語 🚀"\n\tdone';
    expect(visibleParts(text)).toEqual([{ text, hidden: null }]);
    expect(visibleParts('')).toEqual([]);
  });

  it('shows characters that change the order of reading', () => {
    expect(visibleParts('rm \u202etxt.sh')).toEqual([
      { text: 'rm ', hidden: null },
      { text: 'U+202E', hidden: 'right-to-left override' },
      { text: 'txt.sh', hidden: null },
    ]);
  });

  it.each([
    ['\u200b', 'U+200B', 'zero-width space'],
    ['\ufeff', 'U+FEFF', 'byte order mark'],
    ['\u00a0', 'U+00A0', 'no-break space'],
    ['\u3164', 'U+3164', 'Hangul filler'],
    ['\r', 'U+000D', 'invisible character'],
    ['\u001b', 'U+001B', 'invisible character'],
    ['\u2028', 'U+2028', 'line separator'],
    ['\u{e0041}', 'U+E0041', 'invisible character'],
  ])('shows %j as %s', (character, code, name) => {
    expect(hidden(`a${character}b`)).toEqual([[code, name]]);
  });

  it('shows each of several hidden characters, also at its ends', () => {
    expect(visibleParts('\u200b\u200bx\u200b').map(({ text }) => text)).toEqual(['U+200B', 'U+200B', 'x', 'U+200B']);
  });
});
