import { resolved, type Schema } from './openapi.js';
import { type Place, placesIn, replaced } from './sample-body.js';

/** A body that is meant to cost a server much. */
export interface HostileBody {
  title: string;
  /** At most as many bytes as were asked for. */
  text: string;
}

/** Stands in a body for text that is put in as it is. */
const HOLE = '@@HOLE@@';

const isMap = (schema: Schema): boolean => typeof resolved(schema).additionalProperties === 'object';

const textWith = (body: unknown, steps: Place['steps'], fill: (room: number) => string, limit: number): string => {
  const text = JSON.stringify(replaced(body, steps, HOLE));
  const quoted = JSON.stringify(HOLE);
  // A function: the text may hold what `replace` takes for its own, such as "$&".
  return text.replace(quoted, () => fill(limit - Buffer.byteLength(text)));
};

const repeated = (unit: string, room: number, most = Infinity): string =>
  unit.repeat(Math.max(0, Math.min(most, Math.floor(room / Buffer.byteLength(unit)))));

const listOf = (item: string, room: number, most = Infinity): string =>
  `[${repeated(`${item},`, room - 2, most)}`.replace(/,?$/, ']');

/** An object of many fields; their names are as long as is asked for. */
function fieldsOf(count: number, room: number, { value = '0', length = 0 } = {}): string {
  const fields: string[] = [];
  for (let index = 0, left = room - 2; index < count; index += 1) {
    const field = `"${`n${index}`.padEnd(length, 'x')}":${value}`;
    left -= field.length + 1;
    if (left < 0) break;
    fields.push(field);
  }
  return `{${fields.join(',')}}`;
}

/** Bodies that never come to have a shape: they cost the parser. */
export function shapelessBodies(limit: number): HostileBody[] {
  const bodies: [string, string][] = [
    ['a list of nulls', listOf('null', limit)],
    ['a list of empty objects', listOf('{}', limit)],
    ['a list of fractions', listOf('0.1', limit)],
    ['a list of short texts', listOf('"a"', limit)],
    ['a field of many objects', `{"a":${listOf('{"a":[{}]}', limit - 6)}}`],
    ['a number of many digits', repeated('9', limit)],
    ['a fraction of many zeros', `0.${repeated('0', limit - 3)}1`],
    ['a number of a huge exponent', `1e${repeated('9', limit - 2)}`],
    ['objects in objects', repeated('{"a":', limit)],
    ['lists in lists', repeated('[', limit)],
    ['a text of escapes', `"${repeated('\\u0041', limit - 2)}"`],
    ['a text without an end', `"${repeated('\\\\', limit - 1)}`],
    ['a text of wide characters', `"${repeated('€', limit - 2)}"`],
    ['white space', repeated(' \n\t', limit)],
    ['commas', `[${repeated(',', limit - 1)}`],
    ['slashes', repeated('/', limit)],
    ['a field that stands there again and again', `{${repeated('"a":1,', limit - 8)}"a":1}`],
    ['a name of escapes', `{"${repeated('\\u0061', limit - 6)}":1}`],
  ];
  return bodies.map(([title, text]) => ({ title, text }));
}

/** Bodies whose objects and lists, each in turn, hold far too much. */
export function crowdedBodies(schema: Schema, sample: unknown, limit: number): HostileBody[] {
  return placesIn(schema, sample).flatMap(({ pointer, steps, schema: own, value }): HostileBody[] => {
    const place = pointer === '' ? 'the body' : pointer;
    const put = (title: string, fill: (room: number) => string): HostileBody => ({
      title: `${title} in ${place}`,
      text: textWith(sample, steps, fill, limit),
    });
    if (Array.isArray(value)) {
      const item = JSON.stringify(value[0] ?? null);
      return [
        put('nulls', (room) => listOf('null', room)),
        put('texts', (room) => listOf('"n"', room, 9000)),
        put('empty objects', (room) => listOf('{}', room, 9000)),
        put('copies of the sample', (room) => listOf(item, room)),
        put('100 copies of the sample', (room) => listOf(item, room, 100)),
        put('objects of many fields', (room) => listOf(fieldsOf(900, 15_000), room, 20)),
      ];
    }
    if (value === null || typeof value !== 'object') return [];
    return [
      put('80,000 names', (room) => fieldsOf(80_000, room)),
      put('900 names', (room) => fieldsOf(900, room)),
      put('900 names with objects', (room) => fieldsOf(900, room, { value: '{"a":{}}' })),
      put('long names', (room) => fieldsOf(900, room, { length: 1000 })),
      put('one long name', (room) => fieldsOf(1, room, { length: room - 20 })),
      ...(isMap(own)
        ? [
            put('as many texts as a map may hold', (room) => fieldsOf(100, room, { value: `"${'x'.repeat(9000)}"` })),
            put('lists', (room) => fieldsOf(100, room, { value: `[${'"xxxxx",'.repeat(999)}"x"]` })),
          ]
        : []),
    ];
  });
}

/** Short texts that say much to a parser or a regular expression when they come again and again. */
const UNITS = ['a', ' ', '-.', '@a.', '((', '\n', 'a=b,', 'a in (b,'];

/** What text is to be tried: many of a unit, with an end that keeps a pattern from fitting. */
export interface HostileText {
  title: string;
  /** A text of as many characters, at most. */
  of: (length: number) => string;
}

export const HOSTILE_TEXTS: readonly HostileText[] = UNITS.map((unit) => ({
  title: JSON.stringify(unit),
  of: (length) =>
    unit.repeat(Math.max(1, Math.floor((length - 1) / unit.length))) + (length > unit.length ? '\u0001' : ''),
}));

/** The body with a text in one place; where that is in a list, the item stands there as often as there is room. */
export function withText(body: unknown, steps: Place['steps'], text: string, limit: number): string {
  const changed = replaced(body, steps, text);
  const at = steps.findLastIndex((step) => typeof step === 'number');
  if (at < 0) return JSON.stringify(changed);
  const list = steps.slice(0, at).reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], changed);
  const item = JSON.stringify((list as unknown[])[steps[at] as number]);
  return textWith(changed, steps.slice(0, at), (room) => listOf(item, room, 100), limit);
}
