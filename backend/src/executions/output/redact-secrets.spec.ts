import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { createRedactor, type Redactor } from './redact-secrets.js';

const MASK = '‹secret PASSWORD›';
const redactorOf = (...values: string[]) => createRedactor(values.map((value, at) => ({ name: `S${at}`, value })));
const only = (value: string) => createRedactor([{ name: 'PASSWORD', value }]);

function masked(redactor: Redactor, pieces: Buffer[]): Buffer {
  const stream = redactor.stream();
  return Buffer.concat([...pieces.map((piece) => stream.push(piece)), stream.end()]);
}

describe('masking', () => {
  it('names the secret and keeps the rest', () => {
    expect(only('hunter2').text('login with hunter2, twice: hunter2hunter2.')).toBe(
      `login with ${MASK}, twice: ${MASK}${MASK}.`,
    );
  });

  it('returns the same bytes when there are no secrets', () => {
    const bytes = Buffer.from([0, 255, 10, 13, 200]);
    expect(createRedactor([]).stream().push(bytes)).toBe(bytes);
    expect(only('hunter2').stream().push(bytes)).toBe(bytes);
    expect(only('hunter2').text('\ud800 lone')).toBe('\ud800 lone');
  });

  it('masks every form of a value', () => {
    const value = `p"a'ss $w/ö+rd\\&~<1>`;
    const base64 = Buffer.from(value).toString('base64');
    const forms = [
      value,
      base64,
      base64.replace(/=+$/, ''),
      Buffer.from(value).toString('base64url'),
      encodeURIComponent(value),
      encodeURIComponent(value).toLowerCase().replace('%5c', '%5c'),
      encodeURI(value),
      new URLSearchParams({ v: value }).toString().slice(2),
      JSON.stringify(value).slice(1, -1),
      String.raw`p\"a'ss $w/\u00f6+rd\\&~<1>`,
      String.raw`p\"a'ss $w\/\u00f6+rd\\&~<1>`,
      String.raw`p\"a'ss $w/ö+rd\\\u0026~\u003c1\u003e`,
      String.raw`p"a'\''ss $w/ö+rd\&~<1>`,
      `p"a'"'"'ss $w/ö+rd\\&~<1>`,
      String.raw`p\"a'ss \$w/ö+rd\\&~<1>`,
      String.raw`p\"a\'ss\ \$w/ö+rd\\\&\~\<1\>`,
    ];
    for (const encodedForm of forms) expect(only(value).text(`[${encodedForm}]`)).toBe(`[${MASK}]`);
  });

  it('masks base64 of a value inside other data, at each offset', () => {
    const value = 'correct-horse-battery';
    for (const before of ['', 'u', 'us', 'use', 'user:']) {
      for (const after of ['', '\n', '@h', '@host']) {
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = only(value).text(Buffer.from(`${before}${value}${after}`).toString(encoding));
          expect(text).toContain(MASK);
          // Only bits at the two ends of the value may remain.
          expect(text.replace(MASK, '').length).toBeLessThanOrEqual(
            2 + Math.ceil(((before.length + after.length) * 4) / 3) + 4,
          );
          expect(Buffer.from(text.replace(MASK, ' '), 'base64').toString('latin1')).not.toMatch(/orr|hors|batt|ery/);
        }
      }
    }
    expect(only(value).text(Buffer.from(value).toString('base64'))).toBe(MASK);
    expect(only('four').text(Buffer.from('four').toString('base64'))).toBe(MASK);
  });

  it.each([
    ['\n', 76],
    ['\r\n', 76],
    ['\n', 64],
  ])('masks base64 that was split by %j into lines of %i', (lineEnd, width) => {
    const random = seededRandom(5);
    const value = random.text(300, [...'abcdefghijklmnopqrstuvwxyz0123456789']);
    for (const before of [0, 1, 2, 30, 50]) {
      const encoded = Buffer.from('x'.repeat(before) + value + 'tail').toString('base64');
      const lines = (encoded.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join(lineEnd);
      const text = only(value).text(`${lines}${lineEnd}`);
      expect(text).toContain(MASK);
      expect(text.length).toBeLessThan(MASK.length + before * 1.4 + 20);
    }
  });

  it('does not mistake ordinary lines for split base64', () => {
    const core = Buffer.from('hunter2hunter2').toString('base64').replace(/=+$/, '');
    const text = `${core.slice(0, 8)}\n${core.slice(8)}\n`;
    expect(only('hunter2hunter2').text(text)).toBe(text);
  });

  it('masks a multi-line value as a whole and by line, with any line ends', () => {
    const value = 'first line\nabc\n\nlast line\n';
    expect(only(value).text(`<${value}>`)).toBe(`<${MASK}\n>`);
    expect(only(value).text('<first line\r\nabc\r\n\r\nlast line\r\n>')).toBe(`<${MASK}\r\n>`);
    expect(only(value).text('> last line; first line')).toBe(`> ${MASK}; ${MASK}`);
    expect(only(value).text(Buffer.from('last line').toString('base64'))).toBe(MASK);
    expect(only('hunter2\n').text('hunter2')).toBe(MASK);
  });

  it('masks lines of four characters or more alone, without surrounding white space', () => {
    expect(only('one-line\n  four\n\tabc\n').text('four abc')).toBe(`${MASK} abc`);
  });

  it('names the longer of two secrets when one contains the other', () => {
    expect(redactorOf('pass', 'password').text('password pass passwor')).toBe('‹secret S1› ‹secret S0› ‹secret S0›wor');
    expect(redactorOf('sword', 'password').text('password')).toBe('‹secret S1›');
  });

  it('leaves nothing of two overlapping secrets', () => {
    expect(redactorOf('abcd', 'cdef').text('xabcdefx')).toBe('x‹secret S0›‹secret S1›x');
    expect(redactorOf('abab').text('ababab!')).toBe('‹secret S0›!');
  });

  it('names the first of two secrets with the same value', () => {
    expect(redactorOf('same', 'same').text('same')).toBe('‹secret S0›');
  });

  it('does not enlarge a flood of output', () => {
    const flood = Buffer.from('ab'.repeat(50_000));
    expect(masked(redactorOf('abab', 'baba'), [flood]).length).toBeLessThan(100);
  });

  it('does not mask values that are too short', () => {
    expect(redactorOf('', 'a', 'ab', '    ').text('a ab    b')).toBe('a ab    b');
  });

  it('emits at once what cannot be part of a secret', () => {
    const stream = only('hunter2').stream();
    expect(stream.push(Buffer.from('all is well\n')).toString()).toBe('all is well\n');
    expect(stream.push(Buffer.from('password: hun')).toString()).toBe('password: ');
    expect(stream.push(Buffer.from('dred\n')).toString()).toBe('hundred\n');
    expect(stream.push(Buffer.from('hunter')).toString()).toBe('');
    expect(stream.end().toString()).toBe('hunter');
  });

  it('emits the mask with the last byte of the secret', () => {
    expect(only('hunter2').stream().push(Buffer.from('is hunter2')).toString()).toBe(`is ${MASK}`);
  });

  it('holds back at most the longest form of a started occurrence', () => {
    // The text starts like the value but never completes it.
    const value = `${'a'.repeat(200)}Z`;
    for (const [encodedForm, longest] of [
      ['a', 201],
      ['YWFh', 270],
      ['61', 402],
      ['%61', 603],
      [String.raw`\u0061`, 1206],
    ] as const) {
      const stream = only(value).stream();
      let given = 0;
      let pushedBytes = 0;
      while (pushedBytes < 4 * longest) {
        given += stream.push(Buffer.from(encodedForm.charAt(pushedBytes % encodedForm.length))).length;
        pushedBytes += 1;
        expect(pushedBytes - given).toBeLessThanOrEqual(longest);
      }
      expect(given).toBeGreaterThan(0);
    }
  });

  it('holds back only bytes that the next bytes could turn into a secret', () => {
    const random = seededRandom(37);
    const values = ['hunter2', 'abab', '\x01xyz', 'ö?>', 'k"e\\y'];
    const formsOf = (value: string) => {
      const bytes = Buffer.from(value);
      const pairs = bytes.toString('hex').match(/../g) as string[];
      return [
        value,
        ...['', '.', '..'].flatMap((before) =>
          (['base64', 'base64url'] as const).map((encoding) => Buffer.from(`${before}${value}..`).toString(encoding)),
        ),
        ...['', ':', ', ', ' 0x'].map((separator) => pairs.join(separator)),
        pairs.map((pair) => `%${pair}`).join(''),
        JSON.stringify(value).slice(1, -1),
        [...value].map((char) => `&#${char.codePointAt(0)};`).join(''),
      ];
    };
    for (const value of values) {
      const redactor = only(value);
      const forms = formsOf(value);
      const ends = forms.flatMap((encodedForm) => [...encodedForm].map((_, at) => encodedForm.slice(at)));
      for (let round = 0; round < 50; round += 1) {
        const form = random.pick(forms);
        const noise = random.text(random.int(4), [...'aZ9-.: \n', 'MDA', '61']);
        const text = `${noise}${form.slice(0, random.int(form.length))}`;
        const given = redactor.stream().push(Buffer.from(text)).toString();
        if (given === text || given.includes(MASK)) continue;
        // The last base64 digit may belong to an incomplete byte, which is not searched.
        const texts = text.length - given.length > 1 ? [text, text.slice(0, -1)] : [text];
        const masked = texts.some((each) => ends.some((end) => redactor.text(each + end).startsWith(given + MASK)));
        expect([value, text, given, masked]).toEqual([value, text, given, true]);
      }
    }
  });

  it('keeps the characters beside a secret intact', () => {
    expect(only('ö').text('ö')).toBe('ö');
    expect(only('ößü').text('äößüä€')).toBe(`ä${MASK}ä€`);
  });

  describe('for random secrets, forms and cuts', () => {
    const alphabets = [
      [...'ab'],
      [...'abc\n'],
      [...'aö\'"$ /+&%\\'],
      [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789-_='],
    ];
    const hex = (text: string) => Buffer.from(text).toString('hex');
    const forms: ((text: string) => string)[] = [
      (text) => text,
      encodeURIComponent,
      (text) => new URLSearchParams({ v: text }).toString().slice(2),
      (text) => JSON.stringify(text).slice(1, -1),
      (text) => text.replaceAll("'", `'\\''`),
      (text) => text.replace(/[^A-Za-z0-9\n]/g, '\\$&'),
      hex,
      (text) => hex(text).replace(/..(?!$)/g, '$&:'),
      (text) => hex(text).replace(/../g, '\\x$&'),
      (text) => Buffer.from(`x${text}yz`).toString('base64'),
      (text) =>
        (
          Buffer.from(text.repeat(9))
            .toString('base64')
            .match(/.{1,76}/g) ?? []
        ).join('\r\n'),
    ];

    it('gives the same result for every cut, also within nested forms', () => {
      const random = seededRandom(23);
      let hits = 0;
      for (let round = 0; round < 400; round += 1) {
        const alphabet = random.pick(alphabets);
        const values = Array.from({ length: 1 + random.int(3) }, () => random.text(random.int(12), alphabet));
        const pieces = Array.from({ length: 1 + random.int(6) }, () =>
          random.int(3) === 0 ? random.text(random.int(8), alphabet) : random.pick(forms)(random.pick(values)),
        );
        const text = Buffer.from(pieces.join(''));
        const redactor = redactorOf(...values);
        const whole = masked(redactor, [text]);
        if (!whole.equals(text)) hits += 1;
        for (let cut = 0; cut < 4; cut += 1) {
          expect(masked(redactor, random.split(text)).toString()).toBe(whole.toString());
        }
        const single = [...text].map((byte) => Buffer.of(byte));
        expect(masked(redactor, single).toString()).toBe(whole.toString());
      }
      expect(hits).toBeGreaterThan(200);
    });

    it('masks exactly the bytes of every occurrence, also in repetitions', () => {
      const random = seededRandom(31);
      for (let round = 0; round < 400; round += 1) {
        const values = Array.from({ length: 1 + random.int(3) }, () => random.text(3 + random.int(6), [...'ghi']));
        const text = random.text(60, [...'ghi']);
        const covered = Array.from({ length: text.length }, (_, at) =>
          values.some((value) =>
            Array.from({ length: value.length }, (_, back) => at - back).some(
              (from) => from >= 0 && text.startsWith(value, from),
            ),
          ),
        );
        const left = redactorOf(...values)
          .text(text)
          .replace(/‹secret S\d›/g, '#')
          .replace(/#+/g, '#');
        const expected = [...text]
          .map((char, at) => (covered[at] ? '#' : char))
          .join('')
          .replace(/#+/g, '#');
        expect(left).toBe(expected);
      }
    });

    it('masks each form at every position, and changes nothing else', () => {
      const random = seededRandom(29);
      for (let round = 0; round < 600; round += 1) {
        // Characters on either side that cannot be part of the encoded secret.
        const [before, after] = [random.text(random.int(5), [...'.!\\ ']), random.text(random.int(5), [...'.! '])];
        const value = `k${random.text(2 + random.int(30), random.pick(alphabets.slice(2)))}k`;
        const encodedForm = random.pick(forms.slice(0, 9))(value);
        expect(only(value).text(`${before}${encodedForm}${after}`)).toBe(`${before}${MASK}${after}`);
      }
    });
  });
});
