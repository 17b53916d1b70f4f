import { describe, expect, it } from '@jest/globals';
import { findHiddenCharacterFault, VISIBLE_LINE_PATTERN } from './visible-text.js';

describe('a stored text', () => {
  it.each([
    ['a newline in a name', 'a\nb', 'U+000A (line break), which is character 2'],
    [
      'an override behind characters of two code units',
      '😀😀\u202egpj',
      'U+202E (right-to-left override), which is character 3',
    ],
    ['an escape', '\u001b[2J', 'U+001B (escape), which is character 1'],
    ['a character of the tag block', 'a\u{e0061}', 'U+E0061 (invisible character), which is character 2'],
    ['a line separator', 'a\u2028b', 'U+2028 (invisible character), which is character 2'],
    ['a control character of the upper range', 'a\u0085', 'U+0085 (control character), which is character 2'],
  ])('is rejected for %s, with its position', (_, text, expected) => {
    expect(findHiddenCharacterFault(text)).toBe(`must not contain ${expected}. Remove it`);
    expect(VISIBLE_LINE_PATTERN.test(text)).toBe(false);
  });

  it('may contain typed text of any script', () => {
    for (const text of ['web-1 (eu)', 'Größe ß', 'שלום', 'مرحبا', 'می‌خواهم', '👩‍💻 ❤️', '日本語', 'a\u00a0b'])
      expect([text, findHiddenCharacterFault(text), VISIBLE_LINE_PATTERN.test(text)]).toEqual([text, null, true]);
    expect(VISIBLE_LINE_PATTERN.test('')).toBe(false);
  });

  it('may contain tabs and line breaks if it has several lines, but no other control characters', () => {
    expect(findHiddenCharacterFault('a\r\n\tb\n', 'several')).toBeNull();
    expect(findHiddenCharacterFault('a\rb', 'several')).toContain('carriage return');
    expect(findHiddenCharacterFault('a\n\u2066b', 'several')).toContain(
      'U+2066 (left-to-right isolate), which is character 3',
    );
  });
});
