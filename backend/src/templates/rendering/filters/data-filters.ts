import { parseDocument, stringify } from 'yaml';
import {
  type FilterFunction,
  invalid,
  isMissing,
  isRecord,
  requireList,
  toPlainText,
  readArguments,
  wholeNumber,
} from './filter-value.ts';

/** Deeper than any real configuration file. */
const MAX_DEPTH = 64;

/**
 * Copies plain data with own properties only. Sorts the names if `sorted`. @throws ValueError if the value is nested
 * too deeply
 */
function plainData(value: unknown, sorted: boolean, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw invalid(`This is nested more than ${MAX_DEPTH} levels deep.`);
  if (isMissing(value)) return null;
  if (Array.isArray(value)) return value.map((item) => plainData(item, sorted, depth + 1));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, field]): [string, unknown] => [
    name,
    plainData(field, sorted, depth + 1),
  ]);
  return Object.fromEntries(sorted ? entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) : entries);
}

const readMargin = (filter: string, args: readonly unknown[], usual: number): number =>
  wholeNumber(filter, readArguments(filter, args, ['indent']).indent ?? usual, 1, 10);

function requireNoArguments(filter: string, args: readonly unknown[]): void {
  readArguments(filter, args, []);
}

const YAML = { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' } as const;
const yaml = (value: unknown, options: object): string => {
  // A scalar is written as JSON, which is valid YAML and keeps texts on one line.
  if (typeof value !== 'object') return JSON.stringify(value);
  return stringify(value, { ...YAML, ...options }).trimEnd();
};

function fromJson(value: unknown): unknown {
  const text = toPlainText(value);
  try {
    return plainData(JSON.parse(text), false);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid('The filter from_json needs a text that is JSON.');
    throw error;
  }
}

function fromYaml(value: unknown): unknown {
  const document = parseDocument(toPlainText(value), { version: '1.2', schema: 'core', logLevel: 'silent' });
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault) {
    const [at] = fault.linePos ?? [];
    const where = at ? ` in line ${at.line}, column ${at.col} of it` : '';
    throw invalid(`The filter from_yaml needs a text that is YAML:${where ? `${where}:` : ''} ${fault.code}.`);
  }
  try {
    return plainData(document.toJS({ maxAliasCount: 100 }), false);
  } catch (error) {
    if (error instanceof ReferenceError) throw invalid('The YAML for from_yaml refers to itself too often.');
    throw error;
  }
}

const own = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const keys = (values: readonly unknown[]): Set<string> => new Set(values.map((item) => JSON.stringify(item)));
const withoutDuplicates = (values: readonly unknown[]): unknown[] => {
  const seen = new Set<string>();
  return values.filter((item) => {
    const key = JSON.stringify(item);
    return !seen.has(key) && seen.add(key);
  });
};

function flatten(value: unknown, depth = 0): unknown[] {
  if (depth > MAX_DEPTH) throw invalid(`This is nested more than ${MAX_DEPTH} levels deep.`);
  return requireList('flatten', value).flatMap((item) => (Array.isArray(item) ? flatten(item, depth + 1) : [item]));
}

function records(filter: string, value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw invalid(`The filter ${filter} needs fields with names, as from_json and from_yaml make them.`);
}

function fieldName(
  filter: string,
  args: readonly unknown[],
  names: readonly string[],
): [string, Record<string, unknown>] {
  const read = readArguments(filter, args, names);
  return [toPlainText(read[names[0] ?? '']), read];
}

const list = (filter: string, args: readonly unknown[]): unknown[] => {
  const [other] = args;
  if (args.length !== 1 || !Array.isArray(other)) throw invalid(`The filter ${filter} takes one list.`);
  return other;
};

export const DATA_FILTERS: Readonly<Record<string, FilterFunction>> = {
  combine(value, ...args) {
    const [other] = args;
    if (args.length !== 1) throw invalid('The filter combine takes one value with fields.');
    return { ...records('combine', value), ...records('combine', other) };
  },
  dict2items: (value) => Object.entries(records('dict2items', value)).map(([key, field]) => ({ key, value: field })),
  difference: (value, ...args) => {
    const others = keys(list('difference', args));
    return withoutDuplicates(requireList('difference', value).filter((item) => !others.has(JSON.stringify(item))));
  },
  flatten: (value) => flatten(value),
  from_json: fromJson,
  from_yaml: fromYaml,
  intersect: (value, ...args) => {
    const others = keys(list('intersect', args));
    return withoutDuplicates(requireList('intersect', value).filter((item) => others.has(JSON.stringify(item))));
  },
  map(value, ...args) {
    const [name] = fieldName('map', args, ['attribute']);
    return requireList('map', value).map((item) => own(item, name) ?? null);
  },
  max: (value) => requireList('max', value).reduce((a, b) => (Number(b) > Number(a) ? b : a)),
  min: (value) => requireList('min', value).reduce((a, b) => (Number(b) < Number(a) ? b : a)),
  sum: (value) => requireList('sum', value).reduce((a: number, b) => a + (Number(b) || 0), 0),
  to_json(value, ...args) {
    requireNoArguments('to_json', args);
    return JSON.stringify(plainData(value, false));
  },
  to_nice_json: (value, ...args) => JSON.stringify(plainData(value, true), null, readMargin('to_nice_json', args, 4)),
  to_nice_yaml: (value, ...args) =>
    yaml(plainData(value, true), {
      indent: Math.max(2, readMargin('to_nice_yaml', args, 4)),
      collectionStyle: 'block',
    }),
  to_yaml(value, ...args) {
    requireNoArguments('to_yaml', args);
    return yaml(plainData(value, true), { collectionStyle: 'flow' });
  },
  union: (value, ...args) => withoutDuplicates([...requireList('union', value), ...list('union', args)]),
  where(value, ...args) {
    const [name, { value: expected }] = fieldName('where', args, ['attribute', 'value']);
    return requireList('where', value).filter((item) =>
      expected === undefined ? Boolean(own(item, name)) : same(own(item, name), expected),
    );
  },
};
