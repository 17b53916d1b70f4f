import type { PlanForm } from './plan-form';

export interface MergedPlan {
  form: PlanForm;
  /** Fields, steps and variables that both sides changed differently. The form has the own change of each. */
  collisions: string[];
}

/**
 * Merges two changes of a plan. Steps and variables are merged one by one, by their key or name.
 * @param base form from which both changes started
 */
export function mergePlans(base: PlanForm, mine: PlanForm, theirs: PlanForm): MergedPlan {
  const { steps: _, variables: __, ...fields } = base;
  const collisions: string[] = [];
  const merged = Object.fromEntries(
    (Object.keys(fields) as (keyof typeof fields)[]).map((field) => {
      const choice = choose(base[field], mine[field], theirs[field]);
      if (choice.collides) collisions.push(field);
      return [field, choice.value];
    }),
  );
  const steps = mergeLists(base.steps, mine.steps, theirs.steps, ({ key }) => key);
  const variables = mergeLists(base.variables, mine.variables, theirs.variables, ({ name }) => name);
  return {
    form: { ...mine, ...merged, steps: steps.items, variables: variables.items },
    collisions: [
      ...collisions,
      ...steps.collisions.map((key) => `step ${key}`),
      ...variables.collisions.map((name) => `variable ${name}`),
    ],
  };
}

function choose<T>(base: T, mine: T, theirs: T): { value: T; collides: boolean } {
  if (isSame(mine, theirs) || isSame(base, theirs)) return { value: mine, collides: false };
  if (isSame(base, mine)) return { value: theirs, collides: false };
  return { value: mine, collides: true };
}

/** Keeps the order of `mine`. Items that only `theirs` added follow the item that precedes them there. */
function mergeLists<T>(
  base: readonly T[],
  mine: readonly T[],
  theirs: readonly T[],
  keyOf: (item: T) => string,
): { items: T[]; collisions: string[] } {
  const find = (list: readonly T[], key: string) => list.find((item) => keyOf(item) === key);
  const isReorderedOnlyThere = isSame(base.map(keyOf), mine.map(keyOf)) && !isSame(base.map(keyOf), theirs.map(keyOf));
  const [first, second] = isReorderedOnlyThere ? [theirs, mine] : [mine, theirs];
  const keys = first.map(keyOf);
  second.map(keyOf).forEach((key, index, order) => {
    if (keys.includes(key)) return;
    keys.splice(keys.indexOf(order[index - 1] ?? '') + 1, 0, key);
  });
  const collisions: string[] = [];
  const items = keys.flatMap((key) => {
    const choice = choose(find(base, key), find(mine, key), find(theirs, key));
    if (choice.collides) collisions.push(key);
    return choice.value === undefined ? [] : [choice.value];
  });
  return { items, collisions };
}

const isSame = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other);

/** Without row keys, which differ between forms of the same plan. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (key, each: unknown) => (key === 'row' ? undefined : each));
