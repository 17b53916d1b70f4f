import type { ProblemItem } from '../../common/errors/problem-item.js';
import { type PlanStep, type StepType, STEP_DEFAULTS } from './plan-content.js';
import type { PlanStepRequest } from './plan-step.dto.js';

type RequestField = keyof PlanStepRequest;

const OF_PROGRAMS: readonly RequestField[] = [
  ...(['become', 'workingDirectory', 'environment', 'okExitCodes', 'changedExitCodes'] as const),
  ...(['unless', 'check', 'readOnly', 'idempotent', 'outputs'] as const),
];

/** Fields that steps of some types only have. */
const OWN_FIELDS: Record<StepType, readonly RequestField[]> = {
  command: ['command', ...OF_PROGRAMS],
  script: ['scriptId', 'arguments', 'interpreter', ...OF_PROGRAMS],
  template: ['templateId', 'path', 'owner', 'group', 'mode', 'backup', 'validate', 'become', 'unless'],
  file: ['gitSourceId', 'sourcePath', 'ref', 'path', 'owner', 'group', 'mode', 'backup', 'become', 'unless'],
  wait: ['port', 'url'],
  gate: ['message'],
};

/** The step that a request asks for, with what it leaves out filled in. Fields of other types are left out. */
export function stepOf(request: PlanStepRequest): PlanStep {
  const { type = 'command', name, batch, become, retries } = request;
  const given = Object.entries(request).filter(
    ([field, value]) => value !== undefined && !foreignFields(type).includes(field as RequestField),
  );
  const step: object = {
    ...STEP_DEFAULTS[type],
    ...Object.fromEntries(given),
    name: name ?? request.key,
    batch: batch === undefined || batch === null ? null : String(batch),
    retries: retries
      ? { count: retries.count, delaySeconds: retries.delaySeconds ?? 0, backoff: retries.backoff ?? 'constant' }
      : null,
    ...(OWN_FIELDS[type].includes('become') ? { become: userOf(become) } : {}),
  };
  return step as PlanStep;
}

const userOf = (become: PlanStepRequest['become']): string | null =>
  become === true ? 'root' : become === false ? null : (become ?? null);

/** Faults of fields that belong to steps of another type. */
export function foreignFieldProblems(steps: readonly PlanStepRequest[]): ProblemItem[] {
  return steps.flatMap((step, index) => {
    const { type = 'command' } = step;
    return foreignFields(type)
      .filter((field) => step[field] !== undefined && step[field] !== null)
      .map((field) => ({
        path: `/steps/${index}/${field}`,
        code: 'field_of_other_type',
        message: `Step "${step.key}" is of the type ${type}, which has no "${field}". Leave it out, or choose the type ${ownersOf(field)}.`,
      }));
  });
}

/** Fields that a step of this type does not have. */
export const foreignFields = (type: StepType): RequestField[] =>
  [...new Set(Object.values(OWN_FIELDS).flat())].filter((field) => !OWN_FIELDS[type].includes(field));

const ownersOf = (field: RequestField) =>
  Object.entries(OWN_FIELDS)
    .filter(([, fields]) => fields.includes(field))
    .map(([type]) => type)
    .join(' or ');
