import { describe, expect, it } from '@jest/globals';
import { toHarmless, toHarmlessJson, toHarmlessLines } from './harmless.ts';

describe('text of hosts', () => {
  it.each([
    ['plain, with a tabulator', 'a\tb ü 漢 🚀', 'a\tb ü 漢 🚀'],
    ['a title', '\x1b]0;owned\x07', '␛]0;owned␇'],
    ['a cursor that moves', 'a\x1b[2J\x1b[1;1Hb', 'a␛[2J␛[1;1Hb'],
    ['a clipboard', '\x1b]52;c;cm0gLXJm\x1b\\', '␛]52;c;cm0gLXJm␛\\'],
    ['a question that the terminal would answer', '\x1b[6n\x05', '␛[6n␅'],
    ['controls of eight bits', '\x9b2J\x90', '\\u009b2J\\u0090'],
    ['a line that is written over', 'bad\rgood', 'bad␍good'],
    ['a backspace and a deletion', 'a\x08\x7f', 'a␈␡'],
    ['writing directions and invisible characters', 'a\u202eb\u200bc\ufeff', 'a\\u202eb\\u200bc\\ufeff'],
    ['a colour that is too long to be one', `\x1b[${'1;'.repeat(40)}m`, `␛[${'1;'.repeat(40)}m`],
  ])('escapes %s', (_, text, escaped) => {
    expect(toHarmless(text, true)).toBe(escaped);
  });

  it('keeps colours for a terminal and resets them at the end of the line', () => {
    expect(toHarmless('\x1b[1;31mred', true)).toBe('\x1b[1;31mred\x1b[0m');
    expect(toHarmless('\x1b[1;31mred\x1b[0m', false)).toBe('red');
    expect(toHarmlessLines('\x1b[32ma\r\nb', false)).toBe('a\nb');
  });

  it('JSON keeps its meaning', () => {
    const value = { text: 'a\x1b\x9b\u202e\u2028\x7f' };
    const text = toHarmlessJson(value);
    expect(JSON.parse(text)).toEqual(value);
    expect(text).toMatch(/^[\x20-\x7e]+$/);
  });

  it('contains no control characters for any input', () => {
    let seed = 7;
    for (let round = 0; round < 2000; round += 1) {
      const text = Array.from({ length: 12 }, () => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return String.fromCharCode(
          seed % 2 === 0 ? (seed >> 8) % 0x100 : '\x1b[0;31m\x9b]'.charCodeAt((seed >> 8) % 10),
        );
      }).join('');
      // eslint-disable-next-line no-control-regex
      expect(toHarmless(text, true).replace(/\x1b\[[0-9;:]*m/g, '')).not.toMatch(/[\x00-\x08\x0a-\x1f\x7f-\x9f]/);
    }
  });
});
