import type { Schemas } from '../client/api.ts';
import { usage } from '../failure.ts';
import { pair } from '../names/pairs.ts';

type DeclaredVariable = Pick<Schemas['PlanVariableView'], 'name' | 'type'>;
export type Value = string | number | boolean | (string | number | boolean)[];
export type Values = Record<string, Value>;

/** Values from a file or from options, before the plan's types are known. */
export type Given = ReadonlyMap<string, unknown>;

/**
 * Parses values from options (`NAME=value`) and from a text: a JSON object, or lines `NAME=value`. Options override the
 * text. Messages never quote the text, because it may contain secrets.
 */
export function parseValues(options: readonly string[], text: string | null): Given {
  const given = new Map<string, unknown>(text === null ? [] : valuesIn(text));
  const named = new Set<string>();
  for (const option of options) {
    const [name, value] = pair(option, '--var');
    if (named.has(name)) throw usage(`--var ${name} occurs twice.`);
    named.add(name);
    given.set(name, value);
  }
  return given;
}

function valuesIn(text: string): [string, unknown][] {
  const trimmedText = text.trim();
  if (!trimmedText.startsWith('{')) {
    const lines = text.split(/\r?\n/).map((line, index) => ({ line, number: index + 1 }));
    return lines
      .filter(({ line }) => line.trim() !== '')
      .map(({ line, number }) => {
        const [, name, value] = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(line) ?? [];
        if (name === undefined || value === undefined)
          throw usage(`Line ${number} of the variables must have the form NAME=value.`);
        return [name, value];
      });
  }
  try {
    return Object.entries(JSON.parse(trimmedText) as Record<string, unknown>);
  } catch {
    throw usage('The variables begin with { but are not a JSON object.');
  }
}

/**
 * Converts values to the types that the plan declares. A value that does not fit stays a string, and so does the value
 * of an undeclared name. The service refuses both and says what it accepts.
 */
export function convertValues(given: Given, declared: readonly DeclaredVariable[]): Values {
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  return Object.fromEntries(
    [...given].map(([name, value]) => [name, typeof value === 'string' ? typed(value, types.get(name)) : value]),
  ) as Values;
}

function typed(text: string, type: DeclaredVariable['type'] | undefined): Value {
  switch (type) {
    case 'integer':
      return /^[+-]?\d{1,15}$/.test(text.trim()) ? Number(text) : text;
    case 'number':
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'list':
      return parseList(text);
    default:
      return text;
  }
}

/** Parses a JSON array, or texts separated by commas. */
function parseList(text: string): Value {
  if (!text.trimStart().startsWith('[')) return text === '' ? [] : text.split(',').map((item) => item.trim());
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}
