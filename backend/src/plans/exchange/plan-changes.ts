import { type Fields, isFields, type YamlTree } from '../code/plan-text.js';
import { isSameTree } from '../code/write-yaml.js';

export interface PlanChange {
  /** Key of the step or name of the variable; null: a field of the plan. */
  readonly part: string | null;
  readonly kind: 'plan' | 'variable' | 'step';
  readonly field: string;
  /** Value as in the text of the plan; null: not set, so the default applies. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Maximum length of a reported value, in characters. */
const MAX_VALUE_CHARACTERS = 2000;

export function findPlanChanges(before: Fields, after: Fields): PlanChange[] {
  const { variables: oldVariables = [], steps: oldSteps = [], ...oldPlan } = before;
  const { variables = [], steps = [], ...plan } = after;
  return [
    ...findFieldChanges('plan', null, oldPlan, plan),
    ...findPartChanges('variable', indexItems(oldVariables, 'name'), indexItems(variables, 'name')),
    ...findPartChanges('step', indexItems(oldSteps, 'key'), indexItems(steps, 'key')),
  ];
}

function findPartChanges(
  kind: PlanChange['kind'],
  before: ReadonlyMap<string, Fields>,
  after: ReadonlyMap<string, Fields>,
): PlanChange[] {
  const gone = [...before]
    .filter(([part]) => !after.has(part))
    .flatMap(([part, old]) => findFieldChanges(kind, part, old, {}));
  const commonParts = [...before.keys()].filter((part) => after.has(part));
  let expected = 0;
  const there = [...after].flatMap(([part, fields]) => {
    const old = before.get(part);
    const changes = findFieldChanges(kind, part, old ?? {}, fields);
    if (!old) return changes;
    const from = commonParts.indexOf(part);
    expected += 1;
    if (from === expected - 1) return changes;
    return [{ kind, part, field: 'position', before: String(from + 1), after: String(expected) }, ...changes];
  });
  return [...gone, ...there];
}

function findFieldChanges(kind: PlanChange['kind'], part: string | null, before: Fields, after: Fields): PlanChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((field) => !isSameTree(before[field] ?? null, after[field] ?? null))
    .map((field) => ({ kind, part, field, before: toText(before[field]), after: toText(after[field]) }));
}

const indexItems = (list: YamlTree, identity: string): Map<string, Fields> =>
  new Map(Array.isArray(list) ? list.filter(isFields).map((item) => [toText(item[identity]) ?? '', item]) : []);

function toText(value: YamlTree | undefined): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE_CHARACTERS
    ? `${text.slice(0, MAX_VALUE_CHARACTERS).replace(/\p{Surrogate}$/u, '')}…`
    : text;
}
