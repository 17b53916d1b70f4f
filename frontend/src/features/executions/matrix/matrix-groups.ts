import type { ExecutionStep } from '../../../api/types';

type Part = ExecutionStep['path'][number];

/** Neighbouring columns that stand in the same call or list. */
export interface ColumnGroup {
  /** Null: these columns stand in nothing at this level. */
  label: string | null;
  span: number;
  /** Unique within its row. */
  id: string;
}

/** A call as people read it: `deploy · eu-west → Deploy the shop`. A list of steps has the key alone. */
const labelOf = ({ key, planName, item }: Part): string =>
  planName === null ? key : `${key}${item === null ? '' : ` · ${item}`} → ${planName}`;

/** Items of one list are one group; each call of a plan is one of its own. */
const idOf = ({ key, planName, index }: Part): string => (planName === null ? key : `${key}[${index ?? ''}]`);

/** Rows of headings over the columns, the outermost first; none where no step stands in a call or a list. */
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

/** What stands over the column of a step: an item of a list by itself, as its step stands over all of them. */
export function columnName({ name, path }: Pick<ExecutionStep, 'name' | 'path'>): string {
  const last = path.at(-1);
  return last && last.planName === null && last.item !== null ? last.item : name;
}
