import type {
  CreatePlanRequest,
  FailurePolicy,
  Plan,
  PlanVariable,
  RunMode,
  Strategy,
  UpdatePlanRequest,
  VariableType,
  VariableValue,
} from '../../../api/types';
import { emptyStep, newRow, type StepRow, stepRow, toStep } from './step-form';
import { BLANK_OWN } from './types/step-types';

export interface VariableRow {
  /** React key, which stays with the row while rows move. */
  row: string;
  name: string;
  type: VariableType;
  required: boolean;
  description: string;
  pattern: string;
  choices: string[];
  /** Text of the default. Lists use `defaultList`. */
  defaultText: string;
  defaultList: string[];
}

export interface PlanForm {
  name: string;
  description: string;
  environmentId: string | null;
  collectionId: string | null;
  targets: string;
  timeoutSeconds: number | '';
  maxFailPercent: number | '';
  onFailure: FailurePolicy;
  strategy: Strategy;
  parallelSafe: boolean;
  locks: string[];
  allowedModes: RunMode[];
  variables: VariableRow[];
  steps: StepRow[];
}

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

/** @param plan null: a new plan */
export function formOf(plan: Pick<Plan, keyof Plan & keyof PlanForm> | null): PlanForm {
  return {
    name: plan?.name ?? '',
    description: plan?.description ?? '',
    environmentId: plan?.environmentId ?? null,
    collectionId: plan?.collectionId ?? null,
    targets: plan?.targets ?? '',
    timeoutSeconds: plan?.timeoutSeconds ?? '',
    maxFailPercent: plan?.maxFailPercent ?? 0,
    onFailure: plan?.onFailure ?? 'stop',
    strategy: plan?.strategy ?? 'barrier',
    parallelSafe: plan?.parallelSafe ?? false,
    locks: plan?.locks ?? [],
    allowedModes: plan?.allowedModes ?? [],
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
  default: defaultValue,
}: PlanVariable): VariableRow => ({
  row: newRow(),
  name,
  type,
  required,
  description: description ?? '',
  pattern: pattern ?? '',
  choices: choices ?? [],
  defaultText: defaultValue === undefined || Array.isArray(defaultValue) ? '' : String(defaultValue),
  defaultList: Array.isArray(defaultValue) ? defaultValue.map(String) : [],
});

export function toCreateRequest(form: PlanForm): CreatePlanRequest {
  const { environmentId, collectionId, timeoutSeconds, ...content } = contentOf(form);
  return {
    ...content,
    ...(collectionId === null ? {} : { collectionId }),
    ...(environmentId === null ? {} : { environmentId }),
    ...(timeoutSeconds === null ? {} : { timeoutSeconds }),
  };
}

/** Always contains the complete content, so that exactly the displayed content is saved. */
export const toUpdateRequest = (form: PlanForm) => contentOf(form) satisfies UpdatePlanRequest;

const contentOf = (form: PlanForm) => ({
  name: form.name,
  description: form.description,
  environmentId: form.environmentId,
  collectionId: form.collectionId,
  targets: form.targets.trim(),
  timeoutSeconds: form.timeoutSeconds === '' ? null : form.timeoutSeconds,
  maxFailPercent: form.maxFailPercent === '' ? 0 : form.maxFailPercent,
  onFailure: form.onFailure,
  strategy: form.strategy,
  parallelSafe: form.parallelSafe,
  locks: form.locks,
  allowedModes: form.allowedModes,
  variables: form.variables.map(toVariable),
  steps: form.steps.map(toStep),
});

function toVariable({ name, type, required, description, pattern, choices, ...row }: VariableRow) {
  const defaultValue = defaultOf(type, row);
  return {
    name,
    type,
    required,
    ...(description ? { description } : {}),
    ...(pattern && allowsPattern(type) ? { pattern } : {}),
    ...(type === 'choice' ? { choices } : {}),
    ...(defaultValue === undefined ? {} : { default: defaultValue }),
  };
}

export const allowsPattern = (type: VariableType): boolean => type === 'string' || type === 'list' || type === 'secret';

/** Returns the default in the variable's type. Sends invalid numbers unchanged, so that the server reports them. */
function defaultOf(
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

const STEP_FIELDS: readonly string[] = [
  ...['key', 'name', 'type', 'targets', 'runOnce', 'batch', 'when', 'onlyIfChanged', 'confirm', 'timeoutSeconds'],
  ...['retries.count', 'retries.delaySeconds', 'retries.backoff', 'maxFailPercent', 'onFailure', 'always', 'forEach'],
  // The values of a call have a field each.
  ...Object.keys(BLANK_OWN).filter((field) => field !== 'variables'),
];
const CALL_FIELD = /^(variables|outputsFrom|forEach)\./;
const PLAN_FIELDS = [
  ...[
    'name',
    'description',
    'environmentId',
    'collectionId',
    'targets',
    'timeoutSeconds',
    'maxFailPercent',
    'onFailure',
    'parallelSafe',
  ],
  ...['strategy', 'locks', 'allowedModes'],
];
const VARIABLE_FIELDS = ['name', 'type', 'default', 'choices', 'pattern', 'description'];
const ROW = /^(steps|variables)\.\d+\.(.+)$/;

export function isPlanField(path: string): boolean {
  const [, list, field = ''] = ROW.exec(path) ?? [];
  if (!list) return PLAN_FIELDS.includes(path);
  if (list === 'steps') return STEP_FIELDS.includes(field) || CALL_FIELD.test(field);
  return VARIABLE_FIELDS.includes(field);
}

/** Moves an item by `by` positions, but not beyond the ends of the list. */
export function moveItem<T>(items: readonly T[], from: number, by: number): T[] {
  const next = items.slice();
  const [item] = next.splice(from, 1);
  if (item !== undefined) next.splice(Math.max(0, Math.min(from + by, next.length)), 0, item);
  return next;
}
