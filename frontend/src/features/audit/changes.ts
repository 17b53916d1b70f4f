export type ChangeKind = 'same' | 'changed' | 'added' | 'gone';

export interface FieldChange {
  field: string;
  before: string | null;
  after: string | null;
  kind: ChangeKind;
}

/** Fields that change with every write. */
const BOOKKEEPING_FIELDS = new Set(['version', 'updatedAt']);

/** Compares two states of a record. Changed fields come first. */
export function changesOf(before: object | null, after: object | null): FieldChange[] {
  const old = new Map(Object.entries(before ?? {}));
  const now = new Map(Object.entries(after ?? {}));
  const fields = [...new Set([...old.keys(), ...now.keys()])].map((field) => {
    const texts = { before: textOf(old.get(field)), after: textOf(now.get(field)) };
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

/** Null if the record has no such field. */
function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
