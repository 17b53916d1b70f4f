import type { Schemas } from '../client/api.ts';
import { usage } from '../terminal/failure.ts';
import { parsePair } from '../names/pairs.ts';

type DeclaredVariable = Pick<Schemas['PlanVariableView'], 'name' | 'type'>;
export type VariableValue = string | number | boolean | (string | number | boolean)[];
export type VariableValues = Record<string, VariableValue>;

/** Values from a file or from options, before the plan's types are known. */
export type GivenValues = ReadonlyMap<string, unknown>;

/**
 * Parses values from options (`NAME=value`) and from a text: a JSON object, or lines `NAME=value`. Options override the
 * text. Messages never quote the text, because it may contain secrets.
 */
export function parseValues(options: readonly string[], text: string | null): GivenValues {
  const given = new Map<string, unknown>(text === null ? [] : parseValueFile(text));
  const named = new Set<string>();
  for (const option of options) {
    const [name, value] = parsePair(option, '--var');
    if (named.has(name)) throw usage(`--var ${name} occurs twice.`);
    named.add(name);
    given.set(name, value);
  }
  return given;
}

function parseValueFile(text: string): [string, unknown][] {
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
export function convertValues(given: GivenValues, declared: readonly DeclaredVariable[]): VariableValues {
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  return Object.fromEntries(
    [...given].map(([name, value]) => [name, typeof value === 'string' ? toTypedValue(value, types.get(name)) : value]),
  ) as VariableValues;
}

function toTypedValue(text: string, type: DeclaredVariable['type'] | undefined): VariableValue {
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
function parseList(text: string): VariableValue {
  if (!text.trimStart().startsWith('[')) return text === '' ? [] : text.split(',').map((item) => item.trim());
  try {
    return JSON.parse(text) as VariableValue;
  } catch {
    return text;
  }
}
