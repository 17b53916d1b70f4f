import { MAX_DEPTH, MAX_FIELDS, MAX_NESTED_VALUES, MAX_VALUES } from '../../../src/common/http/body/strict-json.js';
import { resolved, type Schema, typesOf } from '../openapi.js';
import { type Place, replaced } from '../sample-body.js';

export interface HostileBody {
  title: string;
  /** May have fewer bytes than requested, but never more. */
  text: string;
}

/**
 * Bytes left below the parser's limits for the rest of the body. A body that the parser refuses would not reach later
 * code.
 */
const SPARE_BYTES = 200;
const VALUES = MAX_VALUES - SPARE_BYTES;
const NESTED = MAX_NESTED_VALUES - SPARE_BYTES;

/** Placeholder for text that is inserted unescaped. */
const PLACEHOLDER = '@@HOLE@@';

const isMap = (schema: Schema): boolean => typeof resolved(schema).additionalProperties === 'object';

const textWith = (body: unknown, steps: Place['steps'], fill: (space: number) => string, limit: number): string => {
  const text = JSON.stringify(replaced(body, steps, PLACEHOLDER));
  const quoted = JSON.stringify(PLACEHOLDER);
  // A function prevents `replace` from interpreting "$&" in the text.
  return text.replace(quoted, () => fill(limit - Buffer.byteLength(text)));
};

const repeated = (unit: string, space: number, most = Infinity): string =>
  unit.repeat(Math.max(0, Math.min(most, Math.floor(space / Buffer.byteLength(unit)))));

const listOf = (item: string, space: number, most = Infinity): string =>
  `[${repeated(`${item},`, space - 2, most)}`.replace(/,?$/, ']');

/** @param length length of the field names */
function fieldsOf(count: number, space: number, { value = '0', length = 0 } = {}): string {
  const fields: string[] = [];
  for (let index = 0, left = space - 2; index < count; index += 1) {
    const field = `"${`n${index}`.padEnd(length, 'x')}":${value}`;
    left -= field.length + 1;
    if (left < 0) break;
    fields.push(field);
  }
  return `{${fields.join(',')}}`;
}

export function shapelessBodies(limit: number): HostileBody[] {
  const bodies: [string, string][] = [
    ['a list of nulls', listOf('null', limit)],
    ['a list of empty objects', listOf('{}', limit)],
    ['a list of fractions', listOf('0.1', limit)],
    ['a list of short texts', listOf('"a"', limit)],
    ['a field of many objects', `{"a":${listOf('{"a":[{}]}', limit - 6)}}`],
    ['as many long numbers as a body may have', listOf('-0.12345678901234e-12', limit, VALUES)],
    ['a number of many digits', repeated('9', limit)],
    ['a fraction of many zeros', `0.${repeated('0', limit - 3)}1`],
    ['a number of a huge exponent', `1e${repeated('9', limit - 2)}`],
    ['objects in objects', repeated('{"a":', limit)],
    ['lists in lists', repeated('[', limit)],
    ['a text of escapes', `"${repeated('\\u0041', limit - 2)}"`],
    ['a text without an end', `"${repeated('\\\\', limit - 1)}`],
    ['a text of wide characters', `"${repeated('€', limit - 2)}"`],
    ['a text of combining characters', `"a${repeated('\u0301', limit - 3)}"`],
    ['white space', repeated(' \n\t', limit)],
    ['spaces before a value', `${repeated(' ', limit - 2)}{}`],
    ['spaces between texts', `["a"${repeated(' ', limit - 8)},"b"]`],
    ['spaces between the backslashes of a text', `"${repeated('\\\\ ', limit - 2)}"`],
    ['commas', `[${repeated(',', limit - 1)}`],
    ['slashes', repeated('/', limit)],
    ['a repeated field', `{${repeated('"a":1,', limit - 8)}"a":1}`],
    ['a name of escapes', `{"${repeated('\\u0061', limit - 6)}":1}`],
  ];
  return bodies.map(([title, text]) => ({ title, text }));
}

const nestedIn = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);

/** Bodies in which one object or list has too many entries, within and beyond the parser's limits. */
export function crowdedBodies(places: readonly Place[], sample: unknown, limit: number): HostileBody[] {
  return places.flatMap((place): HostileBody[] => {
    const put = (title: string, fill: (space: number) => string): HostileBody => ({
      title: `${title} in ${place.pointer === '' ? 'the body' : place.pointer}`,
      text: textWith(sample, place.steps, fill, limit),
    });
    const levels = MAX_DEPTH - place.steps.length - 2;
    // Uses a list wherever the schema allows one, even if the sample has another value.
    if (Array.isArray(place.value)) return crowdedLists(place.value, levels, put);
    if (typesOf(place.schema).includes('array')) return crowdedLists([place.value], levels, put);
    if (place.value === null || typeof place.value !== 'object') return [];
    return [
      put('more names than the parser takes', (space) => fieldsOf(80_000, space)),
      put('as many names as the parser takes', (space) => fieldsOf(MAX_FIELDS, space)),
      put('as many names with objects', (space) => fieldsOf(MAX_FIELDS, space, { value: '{"a":{"a":{}}}' })),
      put('as many long names', (space) => fieldsOf(MAX_FIELDS, space, { length: 4000 })),
      put('one long name', (space) => fieldsOf(1, space, { length: space - 20 })),
      put('objects in objects', (space) =>
        fieldsOf(100, space, { value: nestedIn(levels, '{"a":', '}').replace(':}', ':0}') }),
      ),
      ...(isMap(place.schema)
        ? [
            put('as many texts as a map may hold', (space) => fieldsOf(100, space, { value: `"${'x'.repeat(9000)}"` })),
            put('lists', (space) => fieldsOf(100, space, { value: `[${'"xxxxx",'.repeat(230)}"x"]` })),
          ]
        : []),
    ];
  });
}

function crowdedLists(
  value: unknown[],
  levels: number,
  put: (title: string, fill: (space: number) => string) => HostileBody,
): HostileBody[] {
  const item = JSON.stringify(value[0] ?? null);
  const nested = Math.max(1, item.replace(/[^[{]/g, '').length);
  return [
    put('as many nulls as the parser takes', (space) => listOf('null', space, VALUES)),
    put('as many texts as the parser takes', (space) => listOf('"n"', space, VALUES)),
    put('as many objects as the parser takes', (space) => listOf('{}', space, NESTED)),
    put('lists in lists', (space) => listOf(nestedIn(levels, '[', ']'), space, Math.floor(NESTED / levels))),
    put('as many copies as the parser takes', (space) => listOf(item, space, Math.floor(NESTED / nested))),
    put('100 copies', (space) => listOf(item, space, 100)),
    put('objects of as many fields as the parser takes', (space) =>
      listOf(fieldsOf(MAX_FIELDS, 15_000), space, Math.floor(VALUES / MAX_FIELDS) - 2),
    ),
  ];
}

const NUMBERS = ['-1', '0.1', '1e300', '5e-324', '-0', '2147483648', '9007199254740991', '-9007199254740991'];

/** Bodies with one number that may exceed the range of calculations or database columns. */
export const numberBodies = (places: readonly Place[], sample: unknown): HostileBody[] =>
  places
    .filter(({ value }) => typeof value === 'number')
    .flatMap(({ pointer, steps }) =>
      NUMBERS.map((number) => ({
        title: `${number} in ${pointer}`,
        text: textWith(sample, steps, () => number, Infinity),
      })),
    );

/** Short texts that, when repeated, are expensive for parsers or regular expressions. */
const REPEATED_TEXTS = ['a', ' ', '-.', '@a.', '((', '\n', 'a=b,', 'a in (b,', '{{a}}', '\u202e😀e\u0301'];

/** Repeated unit, with an end that makes patterns fail. */
export interface HostileText {
  title: string;
  /** @param length maximum length, in characters */
  of: (length: number) => string;
}

export const HOSTILE_TEXTS: readonly HostileText[] = REPEATED_TEXTS.map((unit) => ({
  title: JSON.stringify(unit),
  of: (length) =>
    unit.repeat(Math.max(1, Math.floor((length - 1) / unit.length))) + (length > unit.length ? '\u0001' : ''),
}));

/** Returns the body with the text at one position. If the position is in a list, repeats the item up to the limit. */
export function withText(body: unknown, steps: Place['steps'], text: string, limit: number): string {
  const changed = replaced(body, steps, text);
  const at = steps.findLastIndex((step) => typeof step === 'number');
  if (at < 0) return JSON.stringify(changed);
  const list = steps.slice(0, at).reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], changed);
  const item = JSON.stringify((list as unknown[])[steps[at] as number]);
  return textWith(changed, steps.slice(0, at), (space) => listOf(item, space, 100), limit);
}
