import { describe, expect, it } from '@jest/globals';
import { IS_ESCAPE_START, IS_HIDDEN_START, decodeEscape } from './escape-token.js';

function read(escape: string): string[] | null {
  for (let end = 1; end <= escape.length; end += 1) {
    const decodedEscape = decodeEscape(escape.slice(0, end));
    if (decodedEscape === 'more') continue;
    expect(end).toBe(escape.length);
    return decodedEscape && decodedEscape.map((bytes) => bytes.toString('latin1'));
  }
  throw new Error(`${escape} may go on.`);
}

const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const raw = String.raw;

describe('escaped text', () => {
  it.each<[string, string]>([
    ['\0', ''],
    ['\b', ''],
    ['\v', ''],
    ['\r', ''],
    ['\x1f', ''],
    ['\x7f', ''],
    ['\x1b[m', ''],
    ['\x1b[0;?>m', ''],
    ['\x1b[ @', ''],
    ['\x1b[1P', ''],
    ['\x1b[/~', ''],
    ['\x1b]\x07', ''],
    ['\x1b]0;t\x1b\\', ''],
    ['\x1bP\x07', ''],
    ['\x1bX\x07', ''],
    ['\x1b^\x07', ''],
    ['\x1b_\x07', ''],
    ['\x1b0', ''],
    ['\x1b~', ''],
    ['\x1b(0', ''],
    ['\x1b(/~', ''],
    [`\x1b]${'0'.repeat(61)}\x07`, ''],
    ['+', ' '],
    ['%2F', '/'],
    ['%c3', '\xc3'],
    ['""', '"'],
    ["''", "'"],
    [raw`'\''`, "'"],
    [`'"'"'`, "'"],
    [raw`\a`, '\x07'],
    [raw`\b`, '\b'],
    [raw`\t`, '\t'],
    [raw`\n`, '\n'],
    [raw`\v`, '\v'],
    [raw`\f`, '\f'],
    [raw`\r`, '\r'],
    [raw`\e`, '\x1b'],
    [raw`\E`, '\x1b'],
    [raw`\/`, '/'],
    ['\\ ', ' '],
    ['\\\\', '\\'],
    ['\\\xff', '\xff'],
    [raw`\x2f`, '/'],
    [raw`\x7f`, '\x7f'],
    [raw`\000`, '\0'],
    [raw`\141`, 'a'],
    [raw`\377`, '\xff'],
    ['\\u0061', 'a'],
    ['\\u00E9', utf8('é')],
    ['\\ud7ff', utf8('\ud7ff')],
    ['\\ue000', utf8('\ue000')],
    ['\\ud800\\udc00', utf8('\u{10000}')],
    ['\\ud83d\\ude00', utf8('😀')],
    ['\\udbff\\udfff', utf8('\u{10ffff}')],
    ['\\U0001f600', utf8('😀')],
    ['\\U00000061', 'a'],
    ['\\u{1f600}', utf8('😀')],
    ['\\u{10ffff}', utf8('\u{10ffff}')],
    ['\\U{61}', 'a'],
    ['&amp;', '&'],
    ['&lt;', '<'],
    ['&gt;', '>'],
    ['&quot;', '"'],
    ['&apos;', "'"],
    ['&nbsp;', utf8('\u00a0')],
    ['&#39;', "'"],
    ['&#1114111;', utf8('\u{10ffff}')],
    ['&#x27;', "'"],
    ['&#X1F600;', utf8('😀')],
    ['&#x10fFfF;', utf8('\u{10ffff}')],
  ])('decodes %j to %j, and treats each prefix as text that may continue', (escape, text) => {
    expect(read(escape)).toEqual([text]);
  });

  it('decodes a byte above 0x7f as the byte and as the character with this number', () => {
    expect(read(raw`\x80`)).toEqual(['\x80', utf8('\u0080')]);
    expect(read(raw`\xe9`)).toEqual(['\xe9', utf8('é')]);
  });

  it.each([
    'a',
    '\t',
    '\n',
    ' ',
    '\x80',
    '\x1b\n',
    '\x1b\x7f',
    '\x1b(\x7f',
    '\x1b[\n',
    '\x1b[1\n',
    '\x1b(\n',
    '\x1b[\x7f',
    `\x1b]${'0'.repeat(62)}\x07`,
    '%g',
    '%2g',
    '"a',
    "'a",
    raw`'\a`,
    raw`'\'a`,
    `'"a`,
    `'"'a`,
    `'"'"a`,
    raw`\g`,
    raw`\4`,
    raw`\9`,
    raw`\Z`,
    raw`\18`,
    raw`\128`,
    raw`\0g`,
    raw`\xg`,
    raw`\x2g`,
    '\\ug',
    '\\u006g',
    '\\udc00',
    '\\udfff',
    '\\ud800a',
    '\\ud800\\a',
    '\\ud800\\ug',
    '\\ud800\\udbff',
    '\\ud800\\ue000',
    '\\ud800\\u0061',
    '\\U0000d800',
    '\\U00110000',
    '\\u{g',
    '\\u{1234567',
    '\\u{}',
    '\\u{110000}',
    '\\u{d800}',
    '&A',
    '&a&',
    '&;',
    '& ',
    '&#;',
    '&#a',
    '&#1a',
    '&#x;',
    '&#xg',
    '&a1',
    '&unknown;',
    '&constructo',
    '&#xd800;',
    '&#1114112;',
  ])('decodes nothing from %j', (text) => {
    expect(read(text)).toBeNull();
  });

  it('begins with exactly these characters', () => {
    const beginnings = (table: Uint8Array) => [...table.keys()].filter((byte) => table[byte] === 1);
    expect(String.fromCharCode(...beginnings(IS_ESCAPE_START))).toBe(`"%&'+\\`);
    const shown = [...Array(256).keys()].filter((byte) => byte === 9 || byte === 10 || (byte > 31 && byte !== 127));
    expect([...IS_HIDDEN_START.keys()].filter((byte) => IS_HIDDEN_START[byte] !== 1)).toEqual(shown);
  });
});
