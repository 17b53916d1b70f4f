import type { PlanForm } from './plan-form';

interface Row {
  row: string;
}

/** Moves field errors with their rows. Drops errors of removed rows. */
export function errorsByRow<E>(
  errors: Readonly<Record<string, E>>,
  list: 'steps' | 'variables',
  before: readonly Row[],
  after: readonly Row[],
): Record<string, E> {
  const path = new RegExp(`^${list}\\.(\\d+)\\.(.*)$`);
  return Object.fromEntries(
    Object.entries(errors).flatMap(([field, error]): [string, E][] => {
      const [, index, rest] = path.exec(field) ?? [];
      if (index === undefined || rest === undefined) return [[field, error]];
      const row = before[Number(index)]?.row;
      const place = after.findIndex((each) => each.row === row);
      return place < 0 ? [] : [[`${list}.${place}.${rest}`, error]];
    }),
  );
}

/** Returns `next` with the row keys of the displayed plan, so that cards keep their state and focus. */
export function withRowIdsOf(current: PlanForm, next: PlanForm): PlanForm {
  return {
    ...next,
    steps: paired(current.steps, next.steps, ({ key }) => key),
    variables: paired(current.variables, next.variables, ({ name }) => name),
  };
}

function paired<R extends Row>(current: readonly R[], next: readonly R[], nameOf: (row: R) => string): R[] {
  const left = [...current];
  return next.map((row) => {
    const at = left.findIndex((each) => nameOf(each) === nameOf(row));
    const [same] = at < 0 ? [] : left.splice(at, 1);
    return same ? { ...row, row: same.row } : row;
  });
}
