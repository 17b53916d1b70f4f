import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import {
  MAX_FIELDS,
  MAX_NESTED_VALUES,
  MAX_CHARACTERS_OUTSIDE_TEXTS,
  MAX_VALUES,
  parseStrictJson,
  StrictJsonError,
} from './strict-json.js';

const parse = (text: string) => parseStrictJson(Buffer.from(text));

function refusal(body: string | Buffer): { code: string; path: string; message: string } {
  try {
    parseStrictJson(Buffer.from(body as string));
  } catch (error) {
    if (error instanceof StrictJsonError) return { code: error.code, path: error.path, message: error.message };
    throw error;
  }
  throw new Error('was accepted');
}

/** Counts the operations during `work` that could become quadratic: array elements processed and set lookups. */
function countWork(work: () => unknown): { arrayElements: number; setCalls: number } {
  const arrays = Array.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const sets = Set.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  const countedCharacters = { arrayElements: 0, setCalls: 0 };
  const undo: (() => void)[] = [];
  const wrap = (owner: typeof arrays, name: string, count: (self: unknown) => void) => {
    const original = owner[name] as (...args: unknown[]) => unknown;
    owner[name] = function (this: unknown, ...args: unknown[]) {
      count(this);
      return original.apply(this, args);
    };
    undo.push(() => {
      owner[name] = original;
    });
  };
  for (const name of ['slice', 'concat', 'join', 'map', 'indexOf', 'includes', 'splice', 'shift', 'unshift']) {
    wrap(arrays, name, (self) => {
      countedCharacters.arrayElements += (self as unknown[]).length;
    });
  }
  for (const name of ['has', 'add']) {
    wrap(sets, name, () => {
      countedCharacters.setCalls += 1;
    });
  }
  try {
    work();
  } finally {
    for (const restore of undo) restore();
  }
  return countedCharacters;
}

describe('strict JSON', () => {
  it.each(['null', 'true', '0', '"x"', '[]', '{}', ' {"a":[1,-2.5,{"b":null}],"é":"\\u00e9\\ud83d\\ude00"}\r\n'])(
    'parses %s like JSON.parse',
    (text) => expect(parse(text)).toEqual(JSON.parse(text)),
  );

  it('accepts the same name in different objects', () => {
    expect(parse('{"a":{"a":1},"b":[{"a":2},{"a":3}]}')).toEqual({ a: { a: 1 }, b: [{ a: 2 }, { a: 3 }] });
  });

  it.each([
    '',
    '  \n',
    '{',
    '[1',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '[1,]',
    '[,1]',
    '{"a":1 "b":2}',
    '{} {}',
    '1 2',
    "{'a':1}",
  ])('rejects the invalid text %j', (text) => expect(refusal(text).code).toBe('invalid_json'));

  it.each([
    '// x\n1',
    '{/* x */}',
    '1 /*',
    '01',
    '+1',
    '.5',
    '1.',
    '1e',
    '0x10',
    'NaN',
    'Infinity',
    'undefined',
    'True',
  ])('rejects %j, which only other dialects allow', (text) => expect(refusal(text).code).toBe('invalid_json'));

  it.each(['"\t"', '"a\nb"', '"\\x41"', '"\\u12"', '"open', '"\\', '\u00a01'])(
    'rejects the forbidden text %j',
    (text) => expect(refusal(text).code).toBe('invalid_json'),
  );

  it('reports the position of a fault and what to do', () => {
    expect(refusal('{\n  "steps": [1, 2,]\n}')).toEqual({
      code: 'invalid_json',
      path: '/steps/2',
      message: 'Line 2, column 18: Put a value here, or remove the comma before it.',
    });
    expect(refusal('').message).toBe('The body is empty: send a JSON value.');
  });

  it('rejects bytes that are not UTF-8, and a byte order mark', () => {
    expect(refusal(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ code: 'invalid_json', path: '' });
    expect(refusal(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])).code).toBe('invalid_json');
    expect(refusal(Buffer.from([0xef, 0xbb, 0xbf, 0x31])).message).toContain('byte order mark');
    expect(refusal(Buffer.from('{"a":1}', 'utf16le')).code).toBe('invalid_json');
  });

  it('rejects a duplicate field in an object, in any notation', () => {
    expect(refusal('{"a":{"b":1,"c":2,"b":3}}')).toMatchObject({ code: 'duplicate_field', path: '/a/b' });
    expect(refusal('[{"a":1,"\\u0061":2}]')).toMatchObject({ code: 'duplicate_field', path: '/0/a' });
    expect(refusal('{"":1,"":2}')).toMatchObject({ code: 'duplicate_field', path: '/' });
  });

  it.each(Object.getOwnPropertyNames(Object.prototype))('rejects the inherited name %s at every level', (name) => {
    const escaped = [...name].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    expect(refusal(`{"${name}":1}`)).toMatchObject({ code: 'forbidden_field', path: `/${name}` });
    expect(refusal(`{"a":[{"${escaped}":{}}]}`)).toMatchObject({ code: 'forbidden_field', path: `/a/0/${name}` });
  });

  it('rejects NUL and lone surrogates in values and names, without quoting such a name', () => {
    for (const bad of ['\\u0000', 'a\\u0000b', '\\ud800', '\\udc00x', '\\ud800\\ud800', '\\udc00\\ud800']) {
      expect(refusal(`{"a":["${bad}"]}`)).toMatchObject({ code: 'forbidden_character', path: '/a/0' });
      expect(refusal(`{"a":{"${bad}":1}}`)).toMatchObject({ code: 'forbidden_character', path: '/a' });
    }
    expect(parse('"\\ud83d\\ude00"')).toBe('😀');
  });

  it('accepts 32 levels and rejects the 33rd', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(parse(nested(32))).toBeDefined();
    expect(refusal(nested(33))).toMatchObject({ code: 'too_deep', path: '/0'.repeat(32) });
    expect(refusal('{"a":'.repeat(40))).toMatchObject({ code: 'too_deep', path: '/a'.repeat(32) });
    expect(parse(`[${Array.from({ length: 100 }, () => nested(31)).join()}]`)).toHaveLength(100);
  });

  it('accepts the documented number of fields in an object, and rejects one more', () => {
    const object = (fields: number) => `{${Array.from({ length: fields }, (_, index) => `"n${index}":0`).join()}}`;
    expect(Object.keys(parse(object(MAX_FIELDS)) as object)).toHaveLength(MAX_FIELDS);
    expect(parse(`[${object(MAX_FIELDS)},${object(MAX_FIELDS)}]`)).toHaveLength(2);
    const refused = refusal(`{"a":[1,${object(MAX_FIELDS + 1)}]}`);
    expect(refused).toMatchObject({ code: 'too_many_fields', path: '/a/1' });
    expect(refused.message).toContain(String(MAX_FIELDS));
  });

  it.each([
    ['objects and lists', MAX_NESTED_VALUES, '{}'],
    ['objects and lists', MAX_NESTED_VALUES, '[]'],
    ['values', MAX_VALUES, '0'],
    ['values', MAX_VALUES, '"a"'],
    ['values', MAX_VALUES, 'null'],
  ])('accepts the documented number of %s in a body, and rejects one more', (what, most, value) => {
    const list = (items: number) => `[${Array.from({ length: items }, () => value).join()}]`;
    expect(parse(list(most - 1))).toHaveLength(most - 1);
    const refused = refusal(list(most));
    expect(refused).toMatchObject({ code: 'too_many_values', path: `/${most - 1}` });
    expect(refused.message).toContain(`${most} ${what}`);
  });

  it('accepts a long text with any quotes and backslashes, but not as much white space around it', () => {
    const long = '\\" \n"\\\\'.repeat(MAX_CHARACTERS_OUTSIDE_TEXTS / 4);
    const body = JSON.stringify({ a: long, b: [long, 1] });
    expect(parse(body)).toEqual({ a: long, b: [long, 1] });
    const padded = body.replace(':[', `:${' '.repeat(MAX_CHARACTERS_OUTSIDE_TEXTS - '{"a":"","b":["",1]}'.length)}[`);
    expect(parse(padded)).toEqual({ a: long, b: [long, 1] });
    const message = 'Send at most 524288 characters outside JSON strings. Remove white space between values.';
    expect(refusal(` ${padded}`)).toEqual({ code: 'too_much_white_space', path: '', message });
    expect(refusal(' '.repeat(MAX_CHARACTERS_OUTSIDE_TEXTS * 4)).message).toBe('The body is empty: send a JSON value.');
    expect(refusal(`${' '.repeat(MAX_CHARACTERS_OUTSIDE_TEXTS + 1)}"`).code).toBe('too_much_white_space');
  });

  it('rejects the same faults in a body with a long text as in a short one', () => {
    const long = JSON.stringify('\\" '.repeat(MAX_CHARACTERS_OUTSIDE_TEXTS / 2));
    const at = (body: string) => refusal(body.replace('LONG', () => long));
    expect(at('{"a":LONG,"b":"\\u0000"}')).toMatchObject({ code: 'forbidden_character', path: '/b' });
    expect(at('{"a":LONG,"b":["x","\\ud800"]}')).toMatchObject({ code: 'forbidden_character', path: '/b/1' });
    expect(at('{"a":LONG,"\\u0000" :1}')).toMatchObject({ code: 'forbidden_character', path: '' });
    expect(at('{"a":LONG,"\\u0061" : 1}')).toMatchObject({ code: 'duplicate_field', path: '/a' });
    expect(at('{"a":LONG,"__proto__": 1}')).toMatchObject({ code: 'forbidden_field', path: '/__proto__' });
    expect(at('{"a":LONG,"b":1e400}')).toMatchObject({ code: 'number_out_of_range', path: '/b' });
    expect(at(`{"a":LONG,"b":${'['.repeat(40)}${']'.repeat(40)}}`)).toMatchObject({ code: 'too_deep' });
    const message = 'Line 2: Put a value here, or remove the comma before it.';
    expect(at('{"a":LONG,\n"b":[1,]}')).toEqual({ code: 'invalid_json', path: '/b/1', message });
    expect(at('{"a":LONG,"b":"\\x"}').message).toContain('its escapes');
    expect(at('{"a":LONG').code).toBe('invalid_json');
    expect(at('{"a":LONG,"b":"').code).toBe('invalid_json');
    expect(at('{"a":LONG /* note */}').code).toBe('invalid_json');
    expect(at('{"a":LONG,}').code).toBe('invalid_json');
  });

  it('rejects numbers that would change', () => {
    expect(refusal('{"a":[1,1e400]}')).toMatchObject({ code: 'number_out_of_range', path: '/a/1' });
    expect(refusal('9007199254740993').code).toBe('number_out_of_range');
  });

  it('writes pointers as in RFC 6901 and truncates long names', () => {
    expect(refusal('{"a/b~c":1e400}').path).toBe('/a~1b~0c');
    const long = refusal(`{"${'x'.repeat(99)}😀${'x'.repeat(1e5)}":1e400}`);
    expect(long.path).toBe(`/${'x'.repeat(99)}…`);
  });

  it('accepts exactly what JSON.parse accepts, for random mutations of a valid body', () => {
    const random = seededRandom(7);
    const sound = '{"name":"a\\n\\u00e9","steps":[{"key":"x","n":-1.5e2},[],{}],"on":true,"off":false,"no":null}';
    const parts = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '/',
      '-',
      '.',
      '0',
      '1',
      'e',
      ' ',
      '\n',
      '\t',
      'true',
      '//',
      '/**/',
    ];
    let accepted = 0;
    for (let round = 0; round < 4000; round += 1) {
      const at = random.int(sound.length);
      const text = sound.slice(0, at) + (random.int(2) ? random.pick(parts) : '') + sound.slice(at + random.int(2));
      let expected: unknown;
      let valid = true;
      try {
        expected = JSON.parse(text);
      } catch {
        valid = false;
      }
      // The text may have another fault before the syntax error, so only the rejection is tested.
      if (!valid) expect(refusal(text)).toBeDefined();
      else {
        accepted += 1;
        try {
          expect(parse(text)).toEqual(expected);
        } catch (error) {
          if (!(error instanceof StrictJsonError)) throw error;
          expect(error.code).not.toBe('invalid_json');
        }
      }
    }
    expect(accepted).toBeGreaterThan(100);
  });

  describe('takes linear time for hostile bodies with the maximum of characters outside texts', () => {
    const most = MAX_CHARACTERS_OUTSIDE_TEXTS - 64;
    const names = Array.from({ length: 40_000 }, (_, n) => `"k${n}":1`).join();

    it('with the only fault at the end', () => {
      const fields = Array.from({ length: MAX_FIELDS }, (_, n) => `"${'k'.repeat(4000)}${n}":1`).join();
      const first = `${'k'.repeat(4000)}0`;
      const work = countWork(() => expect(refusal(`{${fields},"${first}":1}`).code).toBe('duplicate_field'));
      expect(work.setCalls).toBeLessThan(4 * MAX_FIELDS);
      expect(work.arrayElements).toBeLessThan(1000);
    });

    it.each([
      ['one long text of escapes', `"${'\\u00e9'.repeat(most / 6)}"`],
      ['blanks', `${' '.repeat(most - 1)}1`],
      ['line breaks', `${'\n'.repeat(most - 1)}1`],
    ])('with %s', (_name, body) => {
      const work = countWork(() => parse(body));
      expect(work.setCalls).toBeLessThan(most);
      expect(work.arrayElements).toBeLessThan(1000);
    });

    it.each([
      ['many names', `{${names}}`],
      ['a long array', `[${'1,'.repeat(most / 2 - 1)}1]`],
      ['small objects side by side', `[${'{"a":1},'.repeat(most / 8 - 1)}1]`],
      ['arrays at the greatest depth', `${'['.repeat(31)}${'[],'.repeat(most / 3 - 31)}0${']'.repeat(31)}`],
      ['brackets that never close', '['.repeat(most)],
      ['commas', `[${','.repeat(most)}`],
      ['quotes', '"'.repeat(most)],
      ['slashes', '/'.repeat(most)],
      ['an endless comment', `/*${'*'.repeat(most)}`],
      ['backslashes', `"${'\\'.repeat(most - 1)}`],
      ['a number of a million digits', '9'.repeat(most)],
    ])('and stops at the first fault of %s', (_name, body) => {
      const work = countWork(() => refusal(body));
      expect(work.setCalls).toBeLessThan(4 * MAX_NESTED_VALUES);
      expect(work.arrayElements).toBeLessThan(10_000);
    });
  });
});
