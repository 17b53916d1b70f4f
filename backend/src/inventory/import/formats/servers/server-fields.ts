import { closest, distance } from 'fastest-levenshtein';
import { type Findings, shownName } from '../texts/findings.ts';
import type { ImportedHost, ImportedValue, JumpHost } from '../texts/inventory-text.ts';
import {
  MOST_EXTERNAL_ID_LENGTH,
  MOST_NAME_LENGTH,
  MOST_TAGS,
  MOST_VALUE_LENGTH,
  MOST_VARIABLES,
} from '../texts/limits.ts';
import { kindOf, type TreeField, type TreeMap, type TreeNode } from '../texts/text-tree.ts';
import { rawValue, TAG_TEXT, textLength, VARIABLE_NAME } from '../texts/variable-values.ts';

const FIELDS = [
  'externalId',
  'name',
  'hostname',
  'port',
  'username',
  'enabled',
  'tags',
  'variables',
  'secretVariables',
  'hostKey',
  'jumps',
];
const SECRET_REASON = 'It is secret, so its value does not stand in a text. Set it on the server anew.';
const JUMP_FIELDS = ['host', 'port', 'username'];
const MOST_JUMPS = 10;
const MOST_KEY_LENGTH = 10_000;
/** Longest host name of the DNS. */
const MOST_HOSTNAME_LENGTH = 253;

type Fields = ReadonlyMap<string, TreeField>;

/** Reads one server; null: it has none of what makes one. Number: its place in the list, from 1. */
export function readServer(node: TreeNode, number: number, findings: Findings): ImportedHost | null {
  if (node.kind !== 'map') {
    const message = `A server is an object with at least a "name"; entry ${number} is ${kindOf(node)}.`;
    findings.fault(node.line, `entry ${number}`, 'wrong_type', message);
    return null;
  }
  const named = node.fields.get('name')?.value;
  const entry =
    named?.kind === 'scalar' && typeof named.value === 'string' && named.value ? named.value : `entry ${number}`;
  return new ServerReader(fieldsOf(node, FIELDS, entry, findings), entry, findings).server(node.line);
}

/** Fields of an object, of which those that have no meaning are reported. */
export function fieldsOf(map: TreeMap, known: readonly string[], entry: string | null, findings: Findings): Fields {
  for (const [name, { line }] of map.fields) {
    if (known.includes(name)) continue;
    const near = name.length <= MOST_NAME_LENGTH ? closest(name, known) : '';
    const advice =
      near !== '' && distance(name, near) <= 3 ? `Do you mean "${near}"?` : `Known are ${known.join(', ')}.`;
    findings.fault(line, entry, 'unknown_field', `There is no field "${shownName(name)}". ${advice}`);
  }
  return map.fields;
}

class ServerReader {
  readonly #fields: Fields;
  readonly #entry: string;
  readonly #findings: Findings;

  constructor(fields: Fields, entry: string, findings: Findings) {
    this.#fields = fields;
    this.#entry = entry;
    this.#findings = findings;
  }

  server(line: number): ImportedHost | null {
    const name = this.#text('name', MOST_NAME_LENGTH);
    if (!this.#fields.has('name')) this.#fault(line, 'missing_field', 'A server needs a "name".');
    const read: Omit<ImportedHost, 'line' | 'name'> = {
      externalId: this.#text('externalId', MOST_EXTERNAL_ID_LENGTH),
      hostname: this.#text('hostname', MOST_HOSTNAME_LENGTH),
      port: this.#port(this.#fields.get('port'), 'port'),
      username: this.#text('username', MOST_NAME_LENGTH),
      enabled: this.#truth('enabled'),
      tags: this.#tags(),
      variables: this.#variables(),
      hostKey: this.#hostKey(),
      jumps: this.#jumps(),
    };
    this.#secretVariables();
    if (name === undefined) return null;
    return {
      line,
      name,
      ...(Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as typeof read),
    };
  }

  #text(field: string, most: number, fields: Fields = this.#fields, path = field): string | undefined {
    const found = fields.get(field);
    if (!found) return undefined;
    const { value: node, line } = found;
    if (node.kind !== 'scalar' || typeof node.value !== 'string') return this.#wrong(line, path, 'a text', node);
    if (node.value !== '' && node.value.length <= most) return node.value;
    this.#fault(
      line,
      node.value === '' ? 'bad_value' : 'too_long',
      `"${path}" has 1 to ${most} characters; leave out what is not known.`,
    );
    return undefined;
  }

  #truth(field: string): boolean | undefined {
    const found = this.#fields.get(field);
    if (!found) return undefined;
    const { value: node, line } = found;
    return node.kind === 'scalar' && typeof node.value === 'boolean'
      ? node.value
      : this.#wrong(line, field, 'true or false', node);
  }

  #port(found: TreeField | undefined, path: string): number | undefined {
    if (!found) return undefined;
    const { value: node, line } = found;
    const port = node.kind === 'scalar' ? node.value : null;
    if (typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
    return this.#wrong(line, path, 'a whole number from 1 to 65535', node);
  }

  #tags(): Record<string, string> | undefined {
    const map = this.#map('tags', MOST_TAGS);
    if (!map) return undefined;
    const tags: [string, string][] = [];
    for (const [key, { value, line }] of map.fields) {
      const tag = value.kind === 'scalar' ? value.value : null;
      if (isInherited(key) || !TAG_TEXT.test(key) || typeof tag !== 'string' || !TAG_TEXT.test(tag)) {
        const message = `The tag "${shownName(key)}" is not one: its key and its value are texts of at most 63 letters, digits and . _ - /, beginning and ending with a letter or digit.`;
        this.#fault(line, 'bad_tag', message);
      } else tags.push([key, tag]);
    }
    return Object.fromEntries(tags);
  }

  #variables(): Record<string, ImportedValue> | undefined {
    const map = this.#map('variables', MOST_VARIABLES);
    if (!map) return undefined;
    const variables: [string, ImportedValue][] = [];
    for (const [name, { value: node, line }] of map.fields) {
      const value = node.kind === 'map' ? null : rawValue(node);
      const shown = shownName(name);
      if (isInherited(name) || !VARIABLE_NAME.test(name)) {
        const message = `The variable "${shown}" can't be called so: a name starts with a letter or _, goes on with letters, digits or _, and has at most 64 characters.`;
        this.#fault(line, 'bad_variable', message);
      } else if (
        value === null ||
        (typeof value === 'object' && ('nested' in value || 'tag' in value)) ||
        !isFiniteValue(value)
      ) {
        const message = `The variable "${shown}" must be a text, a number, true or false, or a list of these.`;
        this.#fault(line, 'bad_variable', message);
      } else if (textLength(value) > MOST_VALUE_LENGTH) {
        this.#fault(
          line,
          'variable_too_long',
          `The variable "${shown}" has more than ${MOST_VALUE_LENGTH} characters.`,
        );
      } else variables.push([name, value]);
    }
    return Object.fromEntries(variables);
  }

  /** An export tells which secrets it leaves out. */
  #secretVariables(): void {
    const found = this.#fields.get('secretVariables');
    if (!found) return;
    const { value: list, line } = found;
    if (list.kind !== 'list') return this.#wrong(line, 'secretVariables', 'a list of names', list);
    if (list.items.length > MOST_VARIABLES)
      return this.#fault(line, 'too_many_variables', `"secretVariables" holds at most ${MOST_VARIABLES} names.`);
    for (const item of list.items) {
      const name = item.kind === 'scalar' ? item.value : null;
      if (typeof name !== 'string') this.#wrong(item.line, 'secretVariables', 'a list of names', item);
      else this.#findings.leaveOut(item.line, this.#entry, name, SECRET_REASON);
    }
  }

  #hostKey(): string | undefined {
    const found = this.#fields.get('hostKey');
    if (!found) return undefined;
    if (found.value.kind !== 'map')
      return this.#wrong(found.line, 'hostKey', 'an object with "publicKey"', found.value);
    const fields = fieldsOf(found.value, ['publicKey'], this.#entry, this.#findings);
    if (!fields.has('publicKey')) this.#fault(found.line, 'missing_field', '"hostKey" needs a "publicKey".');
    return this.#text('publicKey', MOST_KEY_LENGTH, fields, 'hostKey.publicKey');
  }

  #jumps(): JumpHost[] | undefined {
    const found = this.#fields.get('jumps');
    if (!found) return undefined;
    const { value: list, line } = found;
    if (list.kind !== 'list') return this.#wrong(line, 'jumps', 'a list of jump hosts', list);
    if (list.items.length > MOST_JUMPS)
      this.#fault(line, 'too_many_jumps', `"jumps" holds at most ${MOST_JUMPS} hosts.`);
    return list.items.slice(0, MOST_JUMPS).map((item, index) => this.#jump(item, `jumps[${index}]`));
  }

  #jump(node: TreeNode, path: string): JumpHost {
    if (node.kind !== 'map') this.#wrong(node.line, path, 'an object with "host"', node);
    const fields: Fields = node.kind === 'map' ? fieldsOf(node, JUMP_FIELDS, this.#entry, this.#findings) : new Map();
    const said = new Map([...fields].filter(([, { value }]) => value.kind !== 'scalar' || value.value !== null));
    if (node.kind === 'map' && !said.has('host')) this.#fault(node.line, 'missing_field', `"${path}" needs a "host".`);
    return {
      host: this.#text('host', MOST_HOSTNAME_LENGTH, said, `${path}.host`) ?? '',
      port: this.#port(said.get('port'), `${path}.port`) ?? null,
      username: this.#text('username', MOST_NAME_LENGTH, said, `${path}.username`) ?? null,
    };
  }

  #map(field: string, most: number): TreeMap | undefined {
    const found = this.#fields.get(field);
    if (!found) return undefined;
    if (found.value.kind !== 'map') return this.#wrong(found.line, field, 'an object', found.value);
    if (found.value.fields.size <= most) return found.value;
    this.#fault(found.line, `too_many_${field}`, `"${field}" holds at most ${most} entries.`);
    return undefined;
  }

  #wrong(line: number, path: string, expected: string, node: TreeNode): undefined {
    this.#fault(line, 'wrong_type', `"${path}" must be ${expected}; here is ${kindOf(node)}.`);
  }

  #fault(line: number, code: string, message: string): void {
    this.#findings.fault(line, this.#entry, code, message);
  }
}

/** Names that every object has by itself. */
const isInherited = (name: string) => name in Object.prototype;

/** JSON can write numbers that are larger than any. */
const isFiniteValue = (value: ImportedValue) =>
  (typeof value === 'object' ? value : [value]).every((item) => typeof item !== 'number' || Number.isFinite(item));
