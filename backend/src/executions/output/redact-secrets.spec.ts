import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { createRedactor, isMaskable, type Redactor, type Secret } from './redact-secrets.js';
import { secretForms } from './secret-forms.js';

const MASK = '‹secret PASSWORD›';
const redactorOf = (...values: string[]) => createRedactor(values.map((value, at) => ({ name: `S${at}`, value })));
const only = (value: string) => createRedactor([{ name: 'PASSWORD', value }]);

function masked(redactor: Redactor, pieces: Buffer[]): Buffer {
  const stream = redactor.stream();
  return Buffer.concat([...pieces.map((piece) => stream.push(piece)), stream.end()]);
}

describe('masking', () => {
  it('names the secret and leaves the rest as it is', () => {
    expect(only('hunter2').text('login with hunter2, twice: hunter2hunter2.')).toBe(
      `login with ${MASK}, twice: ${MASK}${MASK}.`,
    );
  });

  it('changes nothing without secrets, and gives out the very bytes that came', () => {
    const bytes = Buffer.from([0, 255, 10, 13, 200]);
    expect(createRedactor([]).stream().push(bytes)).toBe(bytes);
    expect(only('hunter2').stream().push(bytes)).toBe(bytes);
    expect(only('hunter2').text('\ud800 lone')).toBe('\ud800 lone');
  });

  it('masks each of the forms in which a value may stand', () => {
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
    for (const form of forms) expect(only(value).text(`[${form}]`)).toBe(`[${MASK}]`);
  });

  it('masks base64 of a value in the middle of other data, at each offset', () => {
    const value = 'correct-horse-battery';
    for (const before of ['', 'u', 'us', 'use', 'user:']) {
      for (const after of ['', '\n', '@h', '@host']) {
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = only(value).text(Buffer.from(`${before}${value}${after}`).toString(encoding));
          expect(text).toContain(MASK);
          // What is left holds at most the bits at the two ends of the value.
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
  ])('masks base64 that was broken by %j into lines of %i', (lineEnd, width) => {
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

  it('does not take ordinary lines for broken base64', () => {
    const core = Buffer.from('hunter2hunter2').toString('base64').replace(/=+$/, '');
    const text = `${core.slice(0, 8)}\n${core.slice(8)}\n`;
    expect(only('hunter2hunter2').text(text)).toBe(text);
  });

  it('masks a multi-line value as a whole and line by line, whatever the line ends became', () => {
    const value = 'first line\nabc\n\nlast line\n';
    expect(only(value).text(`<${value}>`)).toBe(`<${MASK}>`);
    expect(only(value).text('<first line\r\nabc\r\n\r\nlast line\r\n>')).toBe(`<${MASK}\r\nabc\r\n\r\n${MASK}\r\n>`);
    expect(only(value).text('> last line; first line')).toBe(`> ${MASK}; ${MASK}`);
    expect(only(value).text(Buffer.from('last line').toString('base64'))).toBe(MASK);
    expect(only('hunter2\n').text('hunter2')).toBe(MASK);
  });

  it('names the longer of two secrets when one is part of the other', () => {
    expect(redactorOf('pass', 'password').text('password pass passwor')).toBe('‹secret S1› ‹secret S0› ‹secret S0›wor');
    expect(redactorOf('sword', 'password').text('password')).toBe('‹secret S1›');
  });

  it('leaves nothing behind of two secrets that overlap', () => {
    expect(redactorOf('abcd', 'cdef').text('xabcdefx')).toBe('x‹secret S0›‹secret S1›x');
    expect(redactorOf('abab').text('ababab!')).toBe('‹secret S0›!');
  });

  it('names the first of two secrets with one value', () => {
    expect(redactorOf('same', 'same').text('same')).toBe('‹secret S0›');
  });

  it('does not let a flood grow by masking', () => {
    const flood = Buffer.from('ab'.repeat(50_000));
    expect(masked(redactorOf('abab', 'baba'), [flood]).length).toBeLessThan(100);
  });

  it('leaves values alone that are too short to be masked, and says which', () => {
    expect(['', 'a', 'ab', '   ', ' \n\t'].some(isMaskable)).toBe(false);
    expect(['abc', 'ö!', ' a '].every(isMaskable)).toBe(true);
    expect(redactorOf('', 'a', 'ab', '    ').text('a ab    b')).toBe('a ab    b');
  });

  it('gives out at once what cannot be part of a secret', () => {
    const stream = only('hunter2').stream();
    expect(stream.push(Buffer.from('all is well\n')).toString()).toBe('all is well\n');
    expect(stream.push(Buffer.from('password: hun')).toString()).toBe('password: ');
    expect(stream.push(Buffer.from('dred\n')).toString()).toBe('hundred\n');
    expect(stream.push(Buffer.from('hunter')).toString()).toBe('');
    expect(stream.end().toString()).toBe('hunter');
  });

  it('gives out the mask with the last byte of the secret', () => {
    expect(only('hunter2').stream().push(Buffer.from('is hunter2')).toString()).toBe(`is ${MASK}`);
  });

  it('holds back fewer bytes than the longest form has', () => {
    // The text goes on as the value begins and never comes to its end.
    const value = `${'a'.repeat(200)}Z`;
    const longest = Math.max(
      ...Object.values(secretForms(value))
        .flat()
        .map((form: Buffer) => form.length),
    );
    const stream = only(value).stream();
    let given = 0;
    for (let pushed = 1; pushed <= 1000; pushed += 1) {
      given += stream.push(Buffer.from('YWFh'.charAt(pushed % 4))).length;
      expect(pushed - given).toBeLessThan(longest);
    }
    expect(given).toBeGreaterThan(1000 - longest);
  });

  it('keeps the characters beside a secret whole', () => {
    expect(only('ö').text('ö')).toBe('ö');
    expect(only('ößü').text('äößüä€')).toBe(`ä${MASK}ä€`);
  });

  describe('over random secrets and random cuts', () => {
    const alphabets = [
      [...'ab'],
      [...'abc\n'],
      [...'aö\'"$ /+&%\\'],
      [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789-_='],
    ];

    /** Masks by definition: marks every occurrence of every form, byte by byte. */
    function bySearching(secrets: Secret[], text: Buffer): Buffer {
      const found: { start: number; end: number; mask: string }[] = [];
      for (const { name, value } of secrets) {
        const { exact, base64 } = secretForms(value);
        for (let start = 0; start < text.length; start += 1) {
          for (const form of exact) {
            if (text.subarray(start, start + form.length).equals(form))
              found.push({ start, end: start + form.length, mask: name });
          }
          for (const form of base64) {
            const end = endOfBase64(text, start, form);
            if (end !== null) found.push({ start, end, mask: name });
          }
        }
      }
      const outer = found
        .filter((a) => !found.some((b) => b.start <= a.start && b.end >= a.end && b.end - b.start > a.end - a.start))
        .sort((a, b) => a.start - b.start);
      const out: (Buffer | string)[] = [];
      let end = 0;
      let names = new Set<string>();
      const seen = new Set<string>();
      for (const mark of outer) {
        const place = `${mark.start}:${mark.end}`;
        if (seen.has(place)) continue;
        seen.add(place);
        if (mark.start >= end) {
          out.push(text.subarray(end, mark.start));
          names = new Set();
        }
        if (!names.has(mark.mask)) out.push(`‹secret ${mark.mask}›`);
        names.add(mark.mask);
        end = mark.end;
      }
      out.push(text.subarray(end));
      return Buffer.concat(out.map((part) => Buffer.from(part as string)));
    }

    function endOfBase64(text: Buffer, start: number, form: Buffer): number | null {
      let at = start;
      for (let matched = 0; matched < form.length; matched += 1) {
        const line = /[A-Za-z0-9+/_-]*$/.exec(text.toString('latin1', 0, at))?.[0].length ?? 0;
        const lineEnd = /^[\r\n]{1,2}/.exec(text.toString('latin1', at, at + 2))?.[0].length ?? 0;
        if (matched > 0 && line >= 60) at += lineEnd;
        if (text[at] !== form[matched]) return null;
        at += 1;
      }
      return at;
    }

    it('masks each form wherever it stands, changes nothing else, and gives the same for every cut', () => {
      const random = seededRandom(23);
      let hits = 0;
      for (let round = 0; round < 400; round += 1) {
        const alphabet = random.pick(alphabets);
        const secrets = Array.from({ length: 1 + random.int(3) }, (_, at) => ({
          name: `S${at}`,
          value: random.text(random.int(12), alphabet),
        }));
        const forms = secrets.flatMap(({ value }) => Object.values(secretForms(value)).flat() as Buffer[]);
        const parts = Array.from({ length: random.int(12) }, () => {
          const form = forms.length > 0 ? random.pick(forms) : Buffer.alloc(0);
          const kind = random.int(6);
          if (kind === 0) return form.subarray(0, random.int(form.length + 1));
          if (kind === 1) return Buffer.from(random.text(random.int(8), alphabet));
          if (kind === 2) return random.bytes(random.int(4));
          if (kind === 4) {
            const cut = random.int(form.length + 1);
            const lineEnd = random.pick(['\n', '\r\n', '\n\n', '\r\n\n', '\n\n\n']);
            const line = Buffer.from(
              random.pick(['x', '.', '\n']) + 'x'.repeat(random.pick([0, 25, 45, 55, 60]) + random.int(8)),
            );
            return Buffer.concat([line, form.subarray(0, cut), Buffer.from(lineEnd), form.subarray(cut)]);
          }
          if (kind === 3) return Buffer.from('x'.repeat(random.int(70)) + random.pick(['', '\n', '\r\n', '\n\n']));
          return form;
        });
        const text = Buffer.concat(parts);
        const redactor = createRedactor(secrets);
        const whole = masked(redactor, [text]);
        if (!whole.equals(text)) hits += 1;
        // Where two secrets share a form at one place either may be named, so names are compared only where they are alone.
        const plain = (bytes: Buffer) => bytes.toString('latin1').replace(/\xe2\x80\xb9secret S\d\xe2\x80\xba/g, '#');
        if (secrets.length === 1) expect(whole.toString('latin1')).toBe(bySearching(secrets, text).toString('latin1'));
        else expect(plain(whole).replace(/#+/g, '#')).toBe(plain(bySearching(secrets, text)).replace(/#+/g, '#'));
        for (let cut = 0; cut < 4; cut += 1) {
          expect(masked(redactor, random.split(text)).equals(whole)).toBe(true);
        }
        expect(
          masked(
            redactor,
            [...text].map((byte) => Buffer.of(byte)),
          ).equals(whole),
        ).toBe(true);
      }
      expect(hits).toBeGreaterThan(200);
    });

    it('finds wrapped base64 at every cut', () => {
      const random = seededRandom(29);
      for (let round = 0; round < 20; round += 1) {
        const secrets = [{ name: 'S0', value: random.text(20 + random.int(150), alphabets[3] as string[]) }];
        const encoded = random.bytes(random.int(70)).toString('latin1') + (secrets[0] as Secret).value + 'rest';
        const text = Buffer.from(
          (
            Buffer.from(encoded, 'latin1')
              .toString('base64')
              .match(/.{1,76}/g) ?? []
          ).join('\r\n'),
        );
        const redactor = createRedactor(secrets);
        const whole = masked(redactor, [text]);
        expect(whole.toString('latin1')).toBe(bySearching(secrets, text).toString('latin1'));
        expect(whole.toString()).toContain('‹secret S0›');
        for (let cut = 0; cut < 10; cut += 1) expect(masked(redactor, random.split(text)).equals(whole)).toBe(true);
      }
    });
  });
});
