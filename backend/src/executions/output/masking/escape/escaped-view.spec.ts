import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../../test/support/seeded-random.js';
import { createRedactor } from '../../redact-secrets.js';
import { ByteMatcher } from '../byte-matcher.js';
import { MaskedRanges } from '../marks.js';
import { decodeEscape } from './escape-token.js';
import { EscapedView } from './escaped-view.js';

const MASK = '‹secret S›';
const mask = (value: string, text: string) => createRedactor([{ name: 'S', value }]).text(text);
const raw = String.raw;

/** Returns the end of every range from `from` that represents the value, with any of its escapes decoded. */
function endsOf(value: string, text: string, from: number, begun = false): number[] {
  if (value === '') return [from];
  const ends = text[from] === value[0] ? endsOf(value.slice(1), text, from + 1, true) : [];
  for (let to = from + 1; to <= text.length; to += 1) {
    const decoded = decodeEscape(text.slice(from, to));
    if (decoded === 'more') continue;
    for (const bytes of (decoded ?? []).map(String))
      if ((bytes !== '' || begun) && value.startsWith(bytes))
        ends.push(...endsOf(value.slice(bytes.length), text, to, true));
    break;
  }
  return ends;
}

function maskValue(value: string, text: string): string {
  const bytes = [...text];
  for (let from = 0; from < text.length; from += 1) {
    const end = Math.max(0, ...endsOf(value, text, from));
    for (let at = from; at < end; at += 1) bytes[at] = '#';
  }
  return bytes.join('').replace(/#+/g, '#');
}

describe('secrets in escaped text', () => {
  it('are masked for every possible decoding of the text, and nothing else', () => {
    const random = seededRandom(17);
    const parts = [
      'a',
      'b',
      '\\',
      '\\\\',
      '%61',
      raw`\x62`,
      '\\u0061',
      '&#97;',
      '"',
      "'",
      '%5c',
      '\r',
      '\b',
      '\x1b[1m',
      '\x1b]0;\x07',
    ];
    const hits = new Set<string>();
    for (let round = 0; round < 1_500; round += 1) {
      const value = random.text(3 + random.int(3), ['a', 'b', '\\', '"', "'"].slice(0, 3 + random.int(3)));
      const text = random.text(3 + random.int(9), parts);
      const expectedText = maskValue(value, text);
      if (expectedText.includes('#')) hits.add(expectedText);
      const masked = mask(value, text).replaceAll(MASK, '#').replace(/#+/g, '#');
      if (masked !== expectedText) expect([value, text, masked]).toEqual([value, text, expectedText]);
    }
    expect(hits.size).toBeGreaterThan(100);
  });

  const hidden = [
    '\r',
    '\b',
    '\0',
    '\x07',
    '\x7f',
    '\x1b[m',
    '\x1b[1;31m',
    '\x1b[38:2::1:2:3m',
    '\x1b[?25l',
    '\x1b[2 q',
    '\x1b[K',
    '\x1b(B',
    '\x1b7',
    '\x1bM',
    '\x1b]0;title\x07',
    '\x1b]8;;https://host/\x1b\\',
    '\x1bPq\x1b\\',
    '\x1b[01;31m\x1b[K',
    `\x1b[${';'.repeat(61)}m`,
    `\x1b]${'0'.repeat(61)}\x07`,
    '\r'.repeat(64),
  ];

  it.each(hidden)('are masked with %j at any position within, in whatever pieces it arrives', (sequence) => {
    const value = 'sEc%r"t';
    const redactor = createRedactor([{ name: 'S', value }]);
    for (let at = 1; at < value.length; at += 1) {
      const text = `a${sequence}${value.slice(0, at)}${sequence}${value.slice(at)}${sequence}b`;
      const expectedText = `a${sequence}${MASK}${sequence}b`;
      expect(redactor.text(text)).toBe(expectedText);
      for (let cut = 0; cut <= text.length; cut += 1) {
        const stream = redactor.stream();
        const pieces = [stream.push(Buffer.from(text.slice(0, cut))), stream.push(Buffer.from(text.slice(cut)))];
        expect(Buffer.concat([...pieces, stream.end()]).toString()).toBe(expectedText);
      }
    }
    expect(redactor.text([...value].join(sequence))).toBe(MASK);
    expect(redactor.text([...value].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(sequence))).toBe(MASK);
  });

  it.each([
    '\n',
    '\t',
    ' ',
    '\u200b',
    '\x1b[1;31\n',
    '\x1b[1;31\x1b',
    '\x1b\n',
    '\x1b]0;title\n',
    `\x1b[${';'.repeat(62)}m`,
    `\x1b]${'0'.repeat(62)}\x07`,
    '\r'.repeat(65),
    `${'\x1b[m'.repeat(21)}\x07\x07`,
  ])('are two texts where %j separates them', (sequence) => {
    const text = `sec${sequence}ret`;
    expect(mask('secret', text)).toBe(text);
    const stream = createRedactor([{ name: 'S', value: 'secret' }]).stream();
    expect(stream.push(Buffer.from(`sec${sequence.repeat(70)}`)).length).toBeGreaterThan(sequence.length * 70 - 70);
  });

  it('cost a bounded number of readings for each byte', () => {
    const building = ByteMatcher.buildInSteps([Buffer.from(`${'\\'.repeat(40)}x`)]);
    let built = building.next();
    while (!built.done) built = building.next();
    const matcher = built.value;
    let steps = 0;
    const stepWithin = matcher.stepBounded.bind(matcher);
    matcher.stepBounded = (most, state, byte) => {
      steps += 1;
      return stepWithin(most, state, byte);
    };
    const view = new EscapedView({ matcher, masks: [Buffer.from(MASK)] }, new MaskedRanges());
    let state = 0;
    for (let position = 1; position <= 200; position += 1) {
      view.takeByte('\\'.charCodeAt(0), position, state);
      state = matcher.step(state, '\\'.charCodeAt(0));
    }
    expect(steps).toBeLessThan(200 * 2 * 9);
  });

  it('are masked from a new beginning after an escape', () => {
    expect(mask('abcabd', '%61bcab%63abd')).toBe(`%61bc${MASK}`);
    expect(mask('abcabd', '%61bcabc%61bd')).toBe(`%61bc${MASK}`);
  });

  it('are masked from the end of the sequence that another secret would hide', () => {
    const redactor = createRedactor([
      { name: 'LONG', value: 'abcdeQ' },
      { name: 'S', value: 'cde!' },
    ]);
    expect(redactor.text('ab\x1b[mcd%65!')).toBe(`ab\x1b[m${MASK}`);
  });

  it.each([2, 5, 12])('are masked where %i successive backslashes are escaped', (count) => {
    const value = `${'\\'.repeat(count)}x`;
    expect(mask(value, JSON.stringify(value))).toBe(`"${MASK}"`);
    expect(mask(value, encodeURIComponent(value))).toBe(MASK);
  });
});
