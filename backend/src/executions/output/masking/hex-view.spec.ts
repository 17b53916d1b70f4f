import { describe, expect, it } from '@jest/globals';
import { createRedactor } from '../redact-secrets.js';

const MASK = '‹secret S›';
const mask = (value: string, text: string) => createRedactor([{ name: 'S', value }]).text(text);
const PAIRS = ['73', '65', '63', '72', '65', '74'];

describe('secrets in hexadecimal digits', () => {
  it.each(['', ':', '-', ',', ' ', '\t', '\r', '\n', ', ', '\r\n', ' 0x', ', 0x', ':0X', '0x', ' 0x '])(
    'masks bytes with %j between them',
    (separator) => {
      expect(mask('secret', `[${PAIRS.join(separator)}]`)).toBe(`[${MASK}]`);
    },
  );

  it('masks digits of either case, in groups, after a prefix, beside other digits', () => {
    expect(mask('jkl{|}', '[6A6b6C7b7C7d]')).toBe(`[${MASK}]`);
    expect(mask('\x01abc', '[01616263]')).toBe(`[${MASK}]`);
    expect(mask('secret', '[7365 6372 6574]')).toBe(`[${MASK}]`);
    expect(mask('secret', '[0x736563726574]')).toBe(`[0x${MASK}]`);
    expect(mask('secret', 'a736563726574a')).toBe(`a${MASK}a`);
    expect(mask('secret', 'a7365 6372 6574a')).toBe(`a${MASK}a`);
    expect(mask('secret', 'ab7365 6372 6574ab')).toBe(`ab${MASK}ab`);
    expect(mask('secret', 'aa73 656372 6574')).toBe(`aa${MASK}`);
    expect(mask('secret', '0xa7365, 0x6372, 0x6574')).toBe(`0xa${MASK}`);
  });

  it.each([
    ['three separators', '73   65   63   72   65   74'],
    ['three separators and a prefix', '73 , 0x65 , 0x63 , 0x72 , 0x65 , 0x74'],
    ['separators around a prefix', '73, 0x 65,  0x63, 0x 72, 0x 65, 0x 74'],
    ['two prefixes', '730x0x650x0x630x0x720x0x650x0x74'],
    ['another character', '73_65_63_72_65_74'],
    ['a letter x alone', '73x65x63x72x65x74'],
    ['a prefix that is none', '73 1x65 1x63 1x72 1x65 1x74'],
    ['a digit alone', '73 65 6 63 72 65 74'],
    ['half a byte at the end of a group', '736 563726574'],
    ['half a byte at both ends of a group', 'a736 b6563726574'],
    ['half a byte before a group', '7 36563726574'],
    ['an x within a byte', '70x65637265740x'],
  ])('leaves digits unchanged that are separated by %s', (_, text) => {
    expect(mask('secret', text)).toBe(text);
    expect(mask('pecret', text)).toBe(text);
  });

  it('finds a secret that begins again within a partial match', () => {
    expect(mask('sesec', '73 65 73 65 73 65 63')).toBe(`73 65 ${MASK}`);
    expect(mask('secret', `${'7365'.repeat(200)}${PAIRS.join('')}`)).toBe('7365'.repeat(200) + MASK);
    expect(mask('secret', `737373 ff ${PAIRS.join(' ')}`)).toBe(`737373 ff ${MASK}`);
  });

  it.each(['0x', '0x0x ', ' 0x0x', '0'])('does not wait for a missing byte after %j', (text) => {
    const stream = createRedactor([{ name: 'S', value: 'secret' }]).stream();
    stream.push(Buffer.from('73'));
    const given = stream.push(Buffer.from(text.repeat(100))).toString();
    expect(given.length).toBeGreaterThan(100 * text.length - 14);
  });
});
