import type { PlanForm } from './plan-form';

interface Row {
  row: string;
}

/** Messages at fields, moved with the rows that they belong to; those of rows that are gone are dropped. */
export function errorsWithRows<E>(
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

/** The same plan with the rows of one that is shown, so that its cards stay what they are: open, closed and in focus. */
export function withRowsOf(shown: PlanForm, next: PlanForm): PlanForm {
  return {
    ...next,
    steps: paired(shown.steps, next.steps, ({ key }) => key),
    variables: paired(shown.variables, next.variables, ({ name }) => name),
  };
}

function paired<R extends Row>(shown: readonly R[], next: readonly R[], nameOf: (row: R) => string): R[] {
  const left = [...shown];
  return next.map((row) => {
    const at = left.findIndex((each) => nameOf(each) === nameOf(row));
    const [same] = at < 0 ? [] : left.splice(at, 1);
    return same ? { ...row, row: same.row } : row;
  });
}
