import type {
  CreatePlanRequest,
  Plan,
  PlanStep,
  PlanVariable,
  UpdatePlanRequest,
  VariableType,
  VariableValue,
} from '../../api/types';

export interface VariableRow {
  /** Stays with the row while rows move. */
  row: string;
  name: string;
  type: VariableType;
  required: boolean;
  description: string;
  pattern: string;
  choices: string[];
  /** The default as typed; lists stand in `defaultList`. */
  defaultText: string;
  defaultList: string[];
}

export interface StepRow {
  row: string;
  key: string;
  name: string;
  command: string;
  targets: string;
  timeoutSeconds: number | '';
}

export interface PlanForm {
  name: string;
  description: string;
  environmentId: string | null;
  targets: string;
  timeoutSeconds: number | '';
  variables: VariableRow[];
  steps: StepRow[];
}

let rows = 0;
const newRow = () => `row-${(rows += 1)}`;

export const emptyVariable = (): VariableRow => ({
  row: newRow(),
  name: '',
  type: 'string',
  required: false,
  description: '',
  pattern: '',
  choices: [],
  defaultText: '',
  defaultList: [],
});

/** A new step with a key that no other one has. */
export function emptyStep(taken: readonly StepRow[]): StepRow {
  return { row: newRow(), key: freeKey('step', taken), name: '', command: '', targets: '', timeoutSeconds: '' };
}

export const copyOfStep = (step: StepRow, taken: readonly StepRow[]): StepRow => ({
  ...step,
  row: newRow(),
  key: freeKey(step.key, taken),
});

function freeKey(base: string, taken: readonly StepRow[]): string {
  const stem = base.replace(/-\d+$/, '');
  for (let number = taken.length === 0 ? 1 : 2; ; number += 1) {
    const key = `${stem}-${number}`;
    if (taken.every((step) => step.key !== key)) return key;
  }
}

export function formOf(plan: Plan | null): PlanForm {
  return {
    name: plan?.name ?? '',
    description: plan?.description ?? '',
    environmentId: plan?.environmentId ?? null,
    targets: plan?.targets ?? '',
    timeoutSeconds: plan?.timeoutSeconds ?? '',
    variables: plan?.variables.map(variableRow) ?? [],
    steps: plan?.steps.map(stepRow) ?? [emptyStep([])],
  };
}

const variableRow = ({
  name,
  type,
  required,
  description,
  pattern,
  choices,
  default: preset,
}: PlanVariable): VariableRow => ({
  row: newRow(),
  name,
  type,
  required,
  description: description ?? '',
  pattern: pattern ?? '',
  choices: choices ?? [],
  defaultText: preset === undefined || Array.isArray(preset) ? '' : String(preset),
  defaultList: Array.isArray(preset) ? preset.map(String) : [],
});

const stepRow = ({ key, name, command, targets, timeoutSeconds }: PlanStep): StepRow => ({
  row: newRow(),
  key,
  name,
  command: command ?? '',
  targets,
  timeoutSeconds,
});

/** What a new plan is created with. */
export function toCreateRequest(form: PlanForm): CreatePlanRequest {
  const { environmentId, timeoutSeconds, ...content } = contentOf(form);
  return {
    ...content,
    ...(environmentId === null ? {} : { environmentId }),
    ...(timeoutSeconds === null ? {} : { timeoutSeconds }),
  };
}

/** What an existing plan is changed to: always the whole content, so that what was seen is what is saved. */
export const toUpdateRequest = (form: PlanForm) => contentOf(form) satisfies UpdatePlanRequest;

const contentOf = (form: PlanForm) => ({
  name: form.name,
  description: form.description,
  environmentId: form.environmentId,
  targets: form.targets.trim(),
  timeoutSeconds: form.timeoutSeconds === '' ? null : form.timeoutSeconds,
  variables: form.variables.map(toVariable),
  steps: form.steps.map(toStep),
});

function toVariable({ name, type, required, description, pattern, choices, ...row }: VariableRow) {
  const preset = presetOf(type, row);
  return {
    name,
    type,
    required,
    ...(description ? { description } : {}),
    ...(pattern && takesPattern(type) ? { pattern } : {}),
    ...(type === 'choice' ? { choices } : {}),
    ...(preset === undefined ? {} : { default: preset }),
  };
}

export const takesPattern = (type: VariableType): boolean => type === 'string' || type === 'list' || type === 'secret';

/** The default in its type. Text that is no number stays text: the server says what is wrong with it, on the field. */
function presetOf(
  type: VariableType,
  { defaultText, defaultList }: Pick<VariableRow, 'defaultText' | 'defaultList'>,
): VariableValue | undefined {
  if (type === 'secret') return undefined;
  if (type === 'list') return defaultList.length > 0 ? defaultList : undefined;
  if (defaultText === '') return undefined;
  if (type === 'boolean') return defaultText === 'true';
  const number = Number(defaultText);
  return (type === 'integer' || type === 'number') && Number.isFinite(number) ? number : defaultText;
}

const toStep = ({ key, name, command, targets, timeoutSeconds }: StepRow) => ({
  key,
  command,
  targets: targets.trim(),
  ...(name.trim() ? { name } : {}),
  ...(timeoutSeconds === '' ? {} : { timeoutSeconds }),
});

const FIELD =
  /^(name|description|environmentId|targets|timeoutSeconds|steps\.\d+\.(key|name|command|targets|timeoutSeconds)|variables\.\d+\.(name|type|default|choices|pattern|description))$/;

/** Whether the editor draws a field with this path. */
export const isPlanField = (path: string): boolean => FIELD.test(path);

/** Moves an item of a list by one place; a list at its end stays as it is. */
export function moved<T>(items: readonly T[], from: number, by: -1 | 1): T[] {
  const next = items.slice();
  const [item] = next.splice(from, 1);
  if (item !== undefined) next.splice(Math.max(0, Math.min(from + by, next.length)), 0, item);
  return next;
}
