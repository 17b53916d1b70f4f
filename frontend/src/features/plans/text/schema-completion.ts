export interface Proposal {
  label: string;
  detail: string;
  info: string;
  apply: string;
}

interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string | string[];
  enum?: (string | number | boolean | null)[];
  description?: string;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

const FIELD_PATTERN = /^(\s*(?:- +)*)(?:"([^"]+)"|'([^']+)'|([\w$-]+))\s*:(?:\s+(.*))?$/;
const BLOCK_PATTERN = /[|>][+-]?\d?\s*$/;

/** Returns completions for the end of `line`. `before`: the preceding lines. */
export function proposalsAt(schema: object, before: readonly string[], line: string): Proposal[] {
  const root = schema as Schema;
  if (line.trimStart().startsWith('#')) return [];
  const value = FIELD_PATTERN.exec(line.replace(/:\s*[\w-]*$/, ': x'));
  const typesValue = /:\s+[\w-]*$/.test(line);
  const indent = indentOf(line);
  const path = pathTo(before, indent);
  if (path === null) return [];
  const holder = at(root, path);
  if (typesValue) {
    const name = value?.[2] ?? value?.[3] ?? value?.[4] ?? '';
    return valuesOf(resolved(root, holder?.properties?.[name]));
  }
  if (!/^\s*(?:- +)*[\w-]*$/.test(line)) return [];
  const there = namesAt(before, indent);
  return Object.entries(holder?.properties ?? {})
    .filter(([name]) => !there.has(name))
    .map(([name, field]) => ({
      label: name,
      detail: typeOf(resolved(root, field)),
      info: field.description ?? resolved(root, field)?.description ?? '',
      apply: `${name}:${resolved(root, field)?.properties || resolved(root, field)?.items?.$ref ? '' : ' '}`,
    }));
}

/** Returns the column of the first name in a line, after its dashes. */
const indentOf = (line: string): number => (/^\s*(?:- +)*/.exec(line)?.[0] ?? '').length;

/** Returns the names of the maps and lists around a column; null: the column is within a block of text. */
function pathTo(before: readonly string[], column: number): string[] | null {
  const path: string[] = [];
  let limit = column;
  for (let index = before.length - 1; index >= 0 && limit > 0; index -= 1) {
    const text = before[index] ?? '';
    if (text.trim() === '' || text.trimStart().startsWith('#')) continue;
    const [, lead = '', one, two, three, rest = ''] = FIELD_PATTERN.exec(text) ?? [];
    const name = one ?? two ?? three;
    const dashes = text.length - text.trimStart().length;
    if (name === undefined) {
      if (dashes < limit && !text.trimStart().startsWith('-')) limit = Math.min(limit, dashes + 1);
      continue;
    }
    if (lead.length >= limit) {
      // Not a parent, because parents are indented less. Example: a field of an earlier item of the same list.
      continue;
    }
    if (BLOCK_PATTERN.test(rest)) return null;
    path.unshift(name);
    limit = dashes === lead.length ? lead.length : dashes + 1;
    if (dashes !== lead.length) limit = lead.length;
  }
  return path;
}

/** Returns the names that the map at this column already has. */
function namesAt(before: readonly string[], column: number): Set<string> {
  const found = new Set<string>();
  for (let index = before.length - 1; index >= 0; index -= 1) {
    const text = before[index] ?? '';
    if (text.trim() === '') continue;
    const [, lead = '', one, two, three] = FIELD_PATTERN.exec(text) ?? [];
    const name = one ?? two ?? three;
    if (name !== undefined && lead.length === column) {
      found.add(name);
      if (lead.includes('-')) break;
    } else if (text.length - text.trimStart().length < column && !(name !== undefined && lead.length > column)) break;
  }
  return found;
}

function at(root: Schema, path: readonly string[]): Schema | undefined {
  let schema: Schema | undefined = root;
  for (const name of path) {
    const field: Schema | undefined = resolved(root, schema?.properties?.[name]);
    schema = resolved(root, field?.items ?? field);
  }
  return schema;
}

function resolved(root: Schema, schema: Schema | undefined): Schema | undefined {
  if (schema?.$ref) return resolved(root, root.$defs?.[schema.$ref.replace('#/$defs/', '')]);
  const branch = schema?.anyOf?.find((each) => each.$ref);
  return branch ? resolved(root, branch) : schema;
}

function valuesOf(schema: Schema | undefined): Proposal[] {
  const words = schema?.enum ?? (typesOf(schema).includes('boolean') ? ['true', 'false'] : []);
  return words
    .filter((word) => word !== null)
    .map((word) => ({ label: String(word), detail: '', info: schema?.description ?? '', apply: String(word) }));
}

const typesOf = (schema: Schema | undefined): string[] => [schema?.type ?? []].flat();

function typeOf(schema: Schema | undefined): string {
  const words: Record<string, string> = { string: 'text', integer: 'number', boolean: 'true or false', array: 'list' };
  const [type = ''] = typesOf(schema).filter((each) => each !== 'null');
  return schema?.enum ? 'one of a list of values' : (words[type] ?? '');
}
