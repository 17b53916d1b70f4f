import {
  mapSettings,
  formatSettingRange,
  getSettingSpec,
  type ServerSetting,
  type ServerSettings,
} from '../../../fields/server-settings.ts';
import { type Findings, toPrintableName } from '../texts/findings.ts';
import type { ImportedHost, ImportedHostKey, ImportedValue, ImportedJumpHost } from '../texts/inventory-text.ts';
import { MAX_EXTERNAL_ID_LENGTH, MAX_NAME_LENGTH, MAX_TAGS, MAX_VALUE_LENGTH, MAX_VARIABLES } from '../texts/limits.ts';
import { describeNodeKind, type TreeNode } from '../texts/text-tree.ts';
import { FieldReader, type TreeFields, readKnownFields } from './field-reader.ts';
import { toRawValue, TAG_TEXT_PATTERN, countTextLength, VARIABLE_NAME_PATTERN } from '../texts/variable-values.ts';

const SECRET_REASON = 'It is secret, so exports leave out its value. Set it on the server again.';
const JUMP_FIELDS = ['host', 'port', 'username'];
const MAX_JUMPS = 10;
const MAX_KEY_LENGTH = 10_000;
const MAX_KEYS = 8;
const KEY_FIELDS = ['publicKey', 'fingerprint'];
const MAX_HOSTNAME_LENGTH = 253;

/** Reads one server; null: the entry is invalid. @param number position in the list, from 1 */
export function readServer(node: TreeNode, number: number, findings: Findings): ImportedHost | null {
  if (node.kind !== 'map') {
    const message = `A server is an object with at least a "name"; entry ${number} is ${describeNodeKind(node)}.`;
    findings.recordFault(node.line, `entry ${number}`, 'wrong_type', message);
    return null;
  }
  const named = node.fields.get('name')?.value;
  const entry =
    named?.kind === 'scalar' && typeof named.value === 'string' && named.value ? named.value : `entry ${number}`;
  return new ServerReader(readKnownFields(node, ServerReader.FIELDS, entry, findings), entry, findings).readFields(
    node.line,
  );
}

type ReadField = Exclude<keyof ImportedHost, 'line' | 'name' | 'leftOut' | 'unreadWay'>;

class ServerReader extends FieldReader {
  static readonly #READERS: { [F in ReadField]: (reader: ServerReader) => ImportedHost[F] | undefined } = {
    externalId: (reader) => reader.readText('externalId', MAX_EXTERNAL_ID_LENGTH),
    hostname: (reader) => reader.readText('hostname', MAX_HOSTNAME_LENGTH),
    port: (reader) => reader.readPort(reader.fields.get('port'), 'port'),
    username: (reader) => reader.readText('username', MAX_NAME_LENGTH),
    enabled: (reader) => reader.readBoolean('enabled'),
    ...(mapSettings((setting) => (reader: ServerReader) => reader.#readSetting(setting)) as {
      [S in ServerSetting]: (reader: ServerReader) => ServerSettings[S] | undefined;
    }),
    tags: (reader) => reader.#tags(),
    variables: (reader) => reader.#variables(),
    hostKey: (reader) => reader.#readHostKey(),
    hostKeys: (reader) => reader.#hostKeys(),
    jumpServer: (reader) => reader.#readJumpServer(),
    jumps: (reader) => reader.#jumps(),
  };

  static readonly FIELDS: readonly string[] = ['name', ...Object.keys(ServerReader.#READERS), 'secretVariables'];

  readFields(line: number): ImportedHost | null {
    const name = this.readText('name', MAX_NAME_LENGTH);
    if (!this.fields.has('name')) this.addFault(line, 'missing_field', 'A server needs a "name".');
    const read = Object.entries(ServerReader.#READERS).map(([field, readField]) => [field, readField(this)] as const);
    this.#requireNotBoth('hostKey', 'hostKeys');
    this.#requireNotBoth('jumpServer', 'jumps');
    this.#skipSecretVariables();
    if (name === undefined) return null;
    const fields: Pick<ImportedHost, ReadField> = Object.fromEntries(read.filter(([, value]) => value !== undefined));
    return { line, name, ...fields };
  }

  #readSetting(setting: ServerSetting): boolean | number | null | undefined {
    const spec = getSettingSpec(setting);
    if (spec.type === 'boolean') return this.readBoolean(setting);
    const found = this.fields.get(setting);
    if (!found) return undefined;
    const value = found.value.kind === 'scalar' ? found.value.value : undefined;
    const isValid = typeof value === 'number' && Number.isInteger(value) && value >= spec.min && value <= spec.max;
    if (value === null || isValid) return value;
    return this.addTypeFault(found.line, setting, formatSettingRange(spec), found.value);
  }

  #tags(): Record<string, string> | undefined {
    const map = this.readMap('tags', MAX_TAGS);
    if (!map) return undefined;
    const tags: [string, string][] = [];
    for (const [key, { value, line }] of map.fields) {
      const tag = value.kind === 'scalar' ? value.value : null;
      if (
        isInheritedName(key) ||
        !TAG_TEXT_PATTERN.test(key) ||
        typeof tag !== 'string' ||
        !TAG_TEXT_PATTERN.test(tag)
      ) {
        const message = `The tag "${toPrintableName(key)}" is invalid: its key and its value are texts of at most 63 letters, digits and . _ - /, beginning and ending with a letter or digit.`;
        this.addFault(line, 'bad_tag', message);
      } else tags.push([key, tag]);
    }
    return Object.fromEntries(tags);
  }

  #variables(): Record<string, ImportedValue> | undefined {
    const map = this.readMap('variables', MAX_VARIABLES);
    if (!map) return undefined;
    const variables: [string, ImportedValue][] = [];
    for (const [name, { value: node, line }] of map.fields) {
      const value = node.kind === 'map' ? null : toRawValue(node);
      const printedName = toPrintableName(name);
      if (isInheritedName(name) || !VARIABLE_NAME_PATTERN.test(name)) {
        const message = `The variable "${printedName}" has an invalid name: a name starts with a letter or _, continues with letters, digits or _, and has at most 64 characters.`;
        this.addFault(line, 'bad_variable', message);
      } else if (
        value === null ||
        (typeof value === 'object' && ('nested' in value || 'tag' in value)) ||
        !isFiniteValue(value)
      ) {
        const message = `The variable "${printedName}" must be a text, a number, true or false, or a list of these.`;
        this.addFault(line, 'bad_variable', message);
      } else if (countTextLength(value) > MAX_VALUE_LENGTH) {
        this.addFault(
          line,
          'variable_too_long',
          `The variable "${printedName}" has more than ${MAX_VALUE_LENGTH} characters.`,
        );
      } else variables.push([name, value]);
    }
    return Object.fromEntries(variables);
  }

  /** Reports the names of secrets, which an export contains without their values. */
  #skipSecretVariables(): void {
    const found = this.fields.get('secretVariables');
    if (!found) return;
    const { value: list, line } = found;
    if (list.kind !== 'list') return this.addTypeFault(line, 'secretVariables', 'a list of names', list);
    if (list.items.length > MAX_VARIABLES)
      return this.addFault(line, 'too_many_variables', `"secretVariables" can have at most ${MAX_VARIABLES} names.`);
    for (const item of list.items) {
      const name = item.kind === 'scalar' ? item.value : null;
      if (typeof name !== 'string') this.addTypeFault(item.line, 'secretVariables', 'a list of names', item);
      else this.findings.leaveOut(item.line, this.entry, name, SECRET_REASON);
    }
  }

  #requireNotBoth(one: string, other: string): void {
    const line = this.fields.get(other)?.line;
    if (line !== undefined && this.fields.has(one))
      this.addFault(line, 'contradiction', `"${one}" and "${other}" exclude each other: send only one of them.`);
  }

  #readHostKey(): ImportedHostKey | undefined {
    const found = this.fields.get('hostKey');
    return found && this.#key(found.value, 'hostKey', KEY_FIELDS);
  }

  #hostKeys(): ImportedHostKey[] | undefined {
    const found = this.fields.get('hostKeys');
    if (!found) return undefined;
    const { value: list, line } = found;
    if (list.kind !== 'list') return this.addTypeFault(line, 'hostKeys', 'a list of host keys', list);
    if (list.items.length > MAX_KEYS)
      this.addFault(line, 'too_many_keys', `"hostKeys" can have at most ${MAX_KEYS} keys.`);
    return list.items
      .slice(0, MAX_KEYS)
      .flatMap((item, index) => this.#key(item, `hostKeys[${index}]`, [...KEY_FIELDS, 'certAuthority']) ?? []);
  }

  #key(node: TreeNode, path: string, known: readonly string[]): ImportedHostKey | undefined {
    if (node.kind !== 'map')
      return this.addTypeFault(node.line, path, 'an object with "publicKey" or "fingerprint"', node);
    const fields = readKnownFields(node, known, this.entry, this.findings);
    if (!KEY_FIELDS.some((field) => fields.has(field)))
      this.addFault(node.line, 'missing_field', `"${path}" needs a "publicKey" or a "fingerprint".`);
    const publicKey = this.readText('publicKey', MAX_KEY_LENGTH, fields, `${path}.publicKey`);
    const fingerprint = this.readText('fingerprint', MAX_KEY_LENGTH, fields, `${path}.fingerprint`);
    const certAuthority = this.readBoolean('certAuthority', fields, `${path}.certAuthority`);
    return publicKey === undefined && fingerprint === undefined
      ? undefined
      : {
          ...(publicKey && { publicKey }),
          ...(fingerprint && { fingerprint }),
          ...(certAuthority && { certAuthority }),
        };
  }

  #readJumpServer(): string | null | undefined {
    const found = this.fields.get('jumpServer');
    if (found?.value.kind === 'scalar' && found.value.value === null) return null;
    return this.readText('jumpServer', MAX_EXTERNAL_ID_LENGTH);
  }

  #jumps(): ImportedJumpHost[] | undefined {
    const found = this.fields.get('jumps');
    if (!found) return undefined;
    const { value: list, line } = found;
    if (list.kind !== 'list') return this.addTypeFault(line, 'jumps', 'a list of jump hosts', list);
    if (list.items.length > MAX_JUMPS)
      this.addFault(line, 'too_many_jumps', `"jumps" can have at most ${MAX_JUMPS} hosts.`);
    return list.items.slice(0, MAX_JUMPS).map((item, index) => this.#jump(item, `jumps[${index}]`));
  }

  #jump(node: TreeNode, path: string): ImportedJumpHost {
    if (node.kind !== 'map') this.addTypeFault(node.line, path, 'an object with "host"', node);
    const fields: TreeFields =
      node.kind === 'map' ? readKnownFields(node, JUMP_FIELDS, this.entry, this.findings) : new Map();
    const nonNullFields = new Map(
      [...fields].filter(([, { value }]) => value.kind !== 'scalar' || value.value !== null),
    );
    if (node.kind === 'map' && !nonNullFields.has('host'))
      this.addFault(node.line, 'missing_field', `"${path}" needs a "host".`);
    return {
      host: this.readText('host', MAX_HOSTNAME_LENGTH, nonNullFields, `${path}.host`) ?? '',
      port: this.readPort(nonNullFields.get('port'), `${path}.port`) ?? null,
      username: this.readText('username', MAX_NAME_LENGTH, nonNullFields, `${path}.username`) ?? null,
    };
  }
}

const isInheritedName = (name: string) => name in Object.prototype;

const isFiniteValue = (value: ImportedValue) =>
  (typeof value === 'object' ? value : [value]).every((item) => typeof item !== 'number' || Number.isFinite(item));
