import { describe, expect, it } from '@jest/globals';
import { createRedactor } from '../redact-secrets.js';

const MASK = '‹secret S›';
const VALUE = 'correct-horse-battery';
const mask = (text: string, value = VALUE) => createRedactor([{ name: 'S', value }]).text(text);
const base64 = (text: string) => Buffer.from(text).toString('base64');

function wrapped(text: string, width: number, lineEnd: string): string {
  return (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(lineEnd);
}

/** Returns the base64 of a text that contains the secret at `from`, masked as `Base64View` should mask it. */
function expected(text: string, from: number, width: number, lineEnd: string, value = VALUE): string {
  const encoded = base64(text);
  const at = (character: number) => character + Math.floor(character / width) * lineEnd.length;
  const first = at(Math.ceil((8 * from) / 6));
  const last = at(Math.ceil((8 * (from + value.length)) / 6) - 1);
  const lines = wrapped(encoded, width, lineEnd);
  return lines.slice(0, first) + MASK + lines.slice(last + 1);
}

describe('secrets in base64', () => {
  it.each([
    [60, '\n'],
    [64, '\n'],
    [76, '\r\n'],
    [1_000, ''],
  ])('masks exactly the characters of the value, in lines of %i that end with %j', (width, lineEnd) => {
    for (let from = 0; from < 240; from += 1) {
      const text = `${'x'.repeat(from)}${VALUE}${'y'.repeat(90)}`;
      expect(mask(wrapped(base64(text), width, lineEnd))).toBe(expected(text, from, width, lineEnd));
    }
  });

  it('masks a value of many lines', () => {
    const value = VALUE.repeat(12);
    for (let from = 0; from < 100; from += 7) {
      const text = `${'x'.repeat(from)}${value}${'y'.repeat(90)}`;
      expect(mask(wrapped(base64(text), 60, '\r\n'), value)).toBe(expected(text, from, 60, '\r\n', value));
    }
  });

  it('masks both of two values in one text of several lines', () => {
    const text = wrapped(base64(`${'x'.repeat(51)}${VALUE}${'y'.repeat(99)}${VALUE}zzz`), 76, '\n');
    expect(mask(text).split(MASK)).toHaveLength(3);
    expect(mask(text).replaceAll(MASK, '')).toMatch(/^(eHh4){17}[eXl5\n]+enp6$/);
  });

  it('masks the padding with the value, and nothing after it', () => {
    expect(mask('[YWJjZA==]', 'abcd')).toBe(`[${MASK}]`);
    expect(mask('[YWJjZGU=]', 'abcde')).toBe(`[${MASK}]`);
    expect(mask('[YWJjZGVm=]', 'abcdef')).toBe(`[${MASK}]`);
    expect(mask('[YWJjZA= =]', 'abcd')).toBe(`[${MASK} =]`);
    expect(mask('[YWJjZA==YWJjZA==]', 'abcd')).toBe(`[${MASK}${MASK}]`);
  });

  it('begins a new text after the padding', () => {
    const redactor = createRedactor([
      { name: 'S', value: 'abcdef' },
      { name: 'LONG', value: 'abcdefghi' },
    ]);
    expect(redactor.text('[YWJjZGVm=Z2hp]')).toBe(`[${MASK}Z2hp]`);
  });

  it('reads either alphabet', () => {
    expect(mask('[+/+/+/+/]', Buffer.from('-_-_-_-_', 'base64url').toString('latin1'))).toBe('[+/+/+/+/]');
    for (const text of ['?>?>?>', 'ûï¾ûï¾']) {
      expect(mask(`[${Buffer.from(text).toString('base64')}]`, text)).toBe(`[${MASK}]`);
      expect(mask(`[${Buffer.from(text).toString('base64url')}]`, text)).toBe(`[${MASK}]`);
    }
  });

  it('masks a value that begins with a control character, but not bits from before the text', () => {
    expect(mask('[AWFiYw==]', '\x01abc')).toBe(`[${MASK}]`);
    expect(mask('.WFiYw', '\x01abc')).toBe('.WFiYw');
    expect(mask('.FhYmM', '\x01abc')).toBe('.FhYmM');
  });

  it.each([
    ['a line of 59 characters', 59, '\n'],
    ['an empty line', 76, '\n\n\n'],
    ['another character', 76, '\n\t'],
    ['a full stop', 76, '.'],
  ])('does not join texts that are separated by %s', (_, width, separator) => {
    for (const from of [40, 41, 42, 43]) {
      const text = wrapped(base64(`${'x'.repeat(from)}${VALUE}${'y'.repeat(10)}`), width, separator);
      expect(mask(text)).toBe(text);
    }
  });

  it('does not join a short line with the line after it', () => {
    const encoded = base64(`${'x'.repeat(60)}${VALUE}${'y'.repeat(50)}`);
    const text = `${encoded.slice(0, 76)}\n${encoded.slice(76, 90)}\n${encoded.slice(90)}`;
    expect(mask(text)).toBe(text);
  });
});
