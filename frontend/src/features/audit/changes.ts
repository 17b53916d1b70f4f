export type ChangeKind = 'same' | 'changed' | 'added' | 'gone';

export interface FieldChange {
  /** Names from the record down to the value, such as `steps · restart · timeoutSeconds`. */
  field: string;
  before: string | null;
  after: string | null;
  kind: ChangeKind;
}

/** Fields that change with every write. */
const BOOKKEEPING_FIELDS = new Set(['version', 'updatedAt']);
const SEPARATOR = ' · ';

/** Compares two states of a record, value by value. Changed values come first. */
export function changesOf(before: object | null, after: object | null): FieldChange[] {
  const old = new Map(valuesOf(before ?? {}));
  const now = new Map(valuesOf(after ?? {}));
  const fields = [...new Set([...old.keys(), ...now.keys()])].map((field) => {
    const texts = { before: old.get(field) ?? null, after: now.get(field) ?? null };
    return { field, ...texts, kind: kindOf(texts) };
  });
  const weight = ({ field, kind }: FieldChange) => (kind === 'same' ? 2 : BOOKKEEPING_FIELDS.has(field) ? 1 : 0);
  return fields.sort((a, b) => weight(a) - weight(b));
}

function kindOf({ before, after }: { before: string | null; after: string | null }): ChangeKind {
  if (before === after) return 'same';
  if (before === null) return 'added';
  return after === null ? 'gone' : 'changed';
}

/** Returns each value within the record with the names that lead to it. */
function valuesOf(value: unknown, field = ''): [field: string, text: string][] {
  const parts = partsOf(value);
  if (parts === null || parts.length === 0) return field === '' ? [] : [[field, textOf(value)]];
  return parts.flatMap(([name, part]) => valuesOf(part, field === '' ? name : `${field}${SEPARATOR}${name}`));
}

/** Null: a value that is shown as a whole. */
function partsOf(value: unknown): [name: string, part: unknown][] | null {
  if (!isRecord(value)) return null;
  if (!Array.isArray(value)) return Object.entries(value);
  if (!value.every(isRecord)) return null;
  const names = namesOf(value);
  return value.map((item, index) => [names?.[index] ?? String(index + 1), item]);
}

/** Names of list items that stay the same when their order changes; null: the items have no distinct names. */
function namesOf(items: readonly Record<string, unknown>[]): string[] | null {
  for (const property of ['key', 'name', 'id']) {
    const names = items.map((item) => item[property]).filter((name) => typeof name === 'string');
    if (names.length === items.length && new Set(names).size === names.length) return names;
  }
  return null;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function textOf(value: unknown): string {
  if (value === null || (isRecord(value) && Object.keys(value).length === 0)) return 'none';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
