import type { ProblemItem } from '../../common/errors/problem-item.js';
import { type StepType, STEP_DEFAULTS, type WrittenStep } from './plan-content.js';
import type { PlanStepRequest } from './plan-step.dto.js';

type RequestField = keyof PlanStepRequest;

const PROGRAM_FIELDS: readonly RequestField[] = [
  ...(['become', 'workingDirectory', 'environment', 'okExitCodes', 'changedExitCodes'] as const),
  ...(['unless', 'check', 'readOnly', 'idempotent', 'outputs'] as const),
];

const FIELDS_BY_STEP_TYPE: Record<StepType, readonly RequestField[]> = {
  command: ['command', 'forEach', ...PROGRAM_FIELDS],
  script: ['scriptId', 'arguments', 'interpreter', 'forEach', ...PROGRAM_FIELDS],
  template: ['templateId', 'path', 'owner', 'group', 'mode', 'backup', 'validate', 'become', 'unless', 'forEach'],
  file: ['gitSourceId', 'sourcePath', 'ref', 'path', 'owner', 'group', 'mode', 'backup', 'become', 'unless', 'forEach'],
  wait: ['port', 'url', 'forEach'],
  gate: ['message', 'placeholder'],
  plan: ['planId', 'variables', 'outputsFrom', 'forEach'],
};

/** Fields that a call cannot set, because the steps of the called plan define them. */
const NON_CALL_FIELDS: readonly RequestField[] = [
  ...(['timeoutSeconds', 'runOnce', 'retries', 'batch', 'maxFailPercent', 'onFailure', 'onlyIfChanged'] as const),
];

export function toWrittenStep(request: PlanStepRequest): WrittenStep {
  const { type = 'command', name, batch, become, retries } = request;
  const sentFields = Object.entries(request).filter(
    ([field, value]) =>
      value !== undefined && !isAbsentFlag(field, value) && !listForeignFields(type).includes(field as RequestField),
  );
  const step: object = {
    ...STEP_DEFAULTS[type],
    ...Object.fromEntries(sentFields),
    name: name ?? request.key,
    batch: batch === undefined || batch === null ? null : String(batch),
    retries: retries
      ? { count: retries.count, delaySeconds: retries.delaySeconds ?? 0, backoff: retries.backoff ?? 'constant' }
      : null,
    ...(FIELDS_BY_STEP_TYPE[type].includes('become') ? { become: toUserName(become) } : {}),
  };
  return step as WrittenStep;
}

/** Whether the field is left out: false is not stored, so that existing gates and digests of runs stay unchanged. */
const isAbsentFlag = (field: string, value: unknown): boolean => field === 'placeholder' && value !== true;

const toUserName = (become: PlanStepRequest['become']): string | null =>
  become === true ? 'root' : become === false ? null : (become ?? null);

export function findForeignFieldProblems(steps: readonly PlanStepRequest[]): ProblemItem[] {
  return steps.flatMap((step, index) => {
    const { type = 'command' } = step;
    return listForeignFields(type)
      .filter((field) => step[field] !== undefined && step[field] !== null && !isDefault(type, field, step[field]))
      .map((field) => ({
        path: `/steps/${index}/${field}`,
        code: 'field_of_other_type',
        message: `Step "${step.key}" has the type ${type}, which has no "${field}". Leave it out, or choose the type ${findStepTypes(field)}.`,
      }));
  });
}

/** Whether a call accepts this value of the field. Defaults are accepted, so that a response can be sent back. */
function isDefault(type: StepType, field: RequestField, value: unknown): boolean {
  if (type !== 'plan' || !NON_CALL_FIELDS.includes(field)) return false;
  const defaults: Partial<Record<RequestField, unknown>> = STEP_DEFAULTS.plan;
  return JSON.stringify(defaults[field]) === JSON.stringify(value);
}

export const listForeignFields = (type: StepType): RequestField[] => [
  ...[...new Set(Object.values(FIELDS_BY_STEP_TYPE).flat())].filter(
    (field) => !FIELDS_BY_STEP_TYPE[type].includes(field),
  ),
  ...(type === 'plan' ? NON_CALL_FIELDS : []),
];

const findStepTypes = (field: RequestField) =>
  Object.entries(FIELDS_BY_STEP_TYPE)
    .filter(([type, fields]) => fields.includes(field) || (NON_CALL_FIELDS.includes(field) && type !== 'plan'))
    .map(([type]) => type)
    .join(' or ');
