import type { PlanForm } from '../form/plan-form';
import { type Change, isSame } from './edit-history';

const FIELD_NAMES: Partial<Record<keyof PlanForm, string>> = {
  name: 'the name',
  description: 'the description',
  environmentId: 'the environment',
  collectionId: 'the collection',
  targets: 'the targets',
};

/** Group of changes that only reorder steps. */
export const ORDER_FIELD = 'order';

/** Describes a change of the form; null: no difference. */
export function changeOf(before: PlanForm, after: PlanForm): Change | null {
  const fields = (Object.keys(after) as (keyof PlanForm)[]).filter((field) => !isSame(before[field], after[field]));
  const [field] = fields;
  if (field === undefined) return null;
  if (fields.length > 1) return { group: null, what: 'change of several fields' };
  if (field === 'steps')
    return changeOfRows('step', before.steps, after.steps, ({ key }) => (key ? `“${key}”` : 'without a key'));
  if (field === 'variables')
    return changeOfRows('variable', before.variables, after.variables, ({ name }) => name || 'without a name');
  return { group: field, what: `change of ${FIELD_NAMES[field] ?? 'the settings'}` };
}

function changeOfRows<R extends { row: string }>(
  noun: string,
  before: readonly R[],
  after: readonly R[],
  nameOf: (row: R) => string,
): Change {
  const added = without(after, before);
  const removed = without(before, after);
  const [one] = [...added, ...removed];
  if (one && added.length + removed.length === 1)
    return { group: null, what: `${added.length === 1 ? 'new' : 'removal of'} ${noun} ${nameOf(one)}` };
  if (one) return { group: null, what: `change of the ${noun}s` };
  if (after.some(({ row }, index) => row !== before[index]?.row))
    return { group: ORDER_FIELD, what: `order of the ${noun}s` };
  const changed = after.filter((row, index) => !isSame(row, before[index]));
  const [row] = changed;
  if (!row || changed.length > 1) return { group: null, what: `change of the ${noun}s` };
  const earlier = before.find((each) => each.row === row.row) ?? row;
  const fields = (Object.keys(row) as (keyof R)[]).filter((field) => !isSame(row[field], earlier[field]));
  const group = fields.length === 1 ? `${row.row}.${String(fields[0])}` : null;
  return { group, what: `change of ${noun} ${nameOf(earlier)}` };
}

const without = <R extends { row: string }>(rows: readonly R[], others: readonly R[]): R[] =>
  rows.filter(({ row }) => others.every((other) => other.row !== row));
