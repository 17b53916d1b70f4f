import type { ExecutionStep } from '../../../api/types';

type PathPart = ExecutionStep['path'][number];

/** Adjacent columns of the same call or list. */
export interface ColumnGroup {
  /** Null = no group at this level. */
  label: string | null;
  span: number;
  /** Unique within its row. */
  id: string;
}

/** Label of a call, such as `deploy · eu-west → Deploy the shop`. A list of steps has only the key. */
const labelOf = ({ key, planName, item }: PathPart): string =>
  planName === null ? key : `${key}${item === null ? '' : ` · ${item}`} → ${planName}`;

/** Items of a list form one group; each call of a plan is a separate group. */
const idOf = ({ key, planName, index }: PathPart): string => (planName === null ? key : `${key}[${index ?? ''}]`);

/** Returns heading rows above the columns, outermost first; empty without calls and lists. */
export function columnGroups(steps: readonly ExecutionStep[]): ColumnGroup[][] {
  const levels = Math.max(0, ...steps.map(({ path }) => path.length));
  return Array.from({ length: levels }, (_, level) => {
    const groups: ColumnGroup[] = [];
    let before: string | null = null;
    for (const { path } of steps) {
      const part = path[level];
      const place = part
        ? path
            .slice(0, level + 1)
            .map(idOf)
            .join('/')
        : '';
      const last = groups.at(-1);
      if (last && before === place) last.span += 1;
      else groups.push({ label: part ? labelOf(part) : null, span: 1, id: `${groups.length} ${place}` });
      before = place;
    }
    return groups;
  });
}

/** Returns the parts of a row of groups that are within a range of columns. */
export function clipGroups(groups: readonly ColumnGroup[], first: number, end: number): ColumnGroup[] {
  let column = 0;
  return groups.flatMap(({ span, ...group }) => {
    const [from, to] = [Math.max(column, first), Math.min(column + span, end)];
    column += span;
    return from < to ? [{ ...group, span: to - from }] : [];
  });
}

/** Heading of a step's column. For an item of a list only the item, because the group's heading names the step. */
export function columnName({ name, path }: Pick<ExecutionStep, 'name' | 'path'>): string {
  const last = path.at(-1);
  return last && last.planName === null && last.item !== null ? last.item : name;
}
