import { closest, distance } from 'fastest-levenshtein';
import { type Findings, toPrintableName } from '../texts/findings.ts';
import { MAX_NAME_LENGTH } from '../texts/limits.ts';
import { describeNodeKind, type TreeField, type TreeMap, type TreeNode } from '../texts/text-tree.ts';

export type TreeFields = ReadonlyMap<string, TreeField>;

export function readKnownFields(
  map: TreeMap,
  known: readonly string[],
  entry: string | null,
  findings: Findings,
): TreeFields {
  for (const [name, { line }] of map.fields) {
    if (known.includes(name)) continue;
    const nearestName = name.length <= MAX_NAME_LENGTH ? closest(name, known) : '';
    const advice =
      nearestName !== '' && distance(name, nearestName) <= 3
        ? `Did you mean "${nearestName}"?`
        : `Known fields are ${known.join(', ')}.`;
    findings.recordFault(
      line,
      entry,
      'unknown_field',
      `The field "${toPrintableName(name)}" is not supported. ${advice}`,
    );
  }
  return map.fields;
}

export class FieldReader {
  protected readonly fields: TreeFields;
  protected readonly entry: string;
  protected readonly findings: Findings;

  constructor(fields: TreeFields, entry: string, findings: Findings) {
    this.fields = fields;
    this.entry = entry;
    this.findings = findings;
  }

  protected readText(field: string, limit: number, fields: TreeFields = this.fields, path = field): string | undefined {
    const found = fields.get(field);
    if (!found) return undefined;
    const { value: node, line } = found;
    if (node.kind !== 'scalar' || typeof node.value !== 'string') return this.addTypeFault(line, path, 'a text', node);
    if (node.value !== '' && node.value.length <= limit) return node.value;
    this.addFault(
      line,
      node.value === '' ? 'bad_value' : 'too_long',
      `"${path}" must have 1 to ${limit} characters; omit what is not known.`,
    );
    return undefined;
  }

  protected readBoolean(field: string, fields: TreeFields = this.fields, path = field): boolean | undefined {
    const found = fields.get(field);
    if (!found) return undefined;
    const { value: node, line } = found;
    return node.kind === 'scalar' && typeof node.value === 'boolean'
      ? node.value
      : this.addTypeFault(line, path, 'true or false', node);
  }

  protected readPort(found: TreeField | undefined, path: string): number | undefined {
    if (!found) return undefined;
    const { value: node, line } = found;
    const port = node.kind === 'scalar' ? node.value : null;
    if (typeof port === 'number' && Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
    return this.addTypeFault(line, path, 'a whole number from 1 to 65535', node);
  }

  protected readMap(field: string, limit: number): TreeMap | undefined {
    const found = this.fields.get(field);
    if (!found) return undefined;
    if (found.value.kind !== 'map') return this.addTypeFault(found.line, field, 'an object', found.value);
    if (found.value.fields.size <= limit) return found.value;
    this.addFault(found.line, `too_many_${field}`, `"${field}" can have at most ${limit} entries.`);
    return undefined;
  }

  protected addTypeFault(line: number, path: string, expected: string, node: TreeNode): undefined {
    this.addFault(line, 'wrong_type', `"${path}" must be ${expected}, not ${describeNodeKind(node)}.`);
  }

  protected addFault(line: number, code: string, message: string): void {
    this.findings.recordFault(line, this.entry, code, message);
  }
}
