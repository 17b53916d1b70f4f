import type { ProblemItem } from '../../common/errors/problem-item.js';
import { listFields } from '../../common/http/fields.js';
import type { PlanStepRequest } from './plan-step.dto.js';
import { getDefinition, STEP_DEFAULTS, STEP_TYPES, type StepType, type WrittenStep } from './types/step-types.js';

type RequestField = keyof PlanStepRequest;

const OWN_FIELDS = new Map(
  STEP_TYPES.map((type) => [type, getDefinition({ type }).fields.flatMap(({ request }) => listFields(request))]),
) as ReadonlyMap<StepType, readonly RequestField[]>;

/** Returns the fields that steps of this type have in addition to those of every step. */
export const listOwnFields = (type: StepType): readonly RequestField[] => OWN_FIELDS.get(type) ?? [];

const listRefusedFields = (type: StepType): readonly RequestField[] => getDefinition({ type }).refusedFields ?? [];

export function toWrittenStep(request: PlanStepRequest): WrittenStep {
  const { type = 'command', name, batch, become, retries } = request;
  const foreign = listForeignFields(type);
  const sentFields = Object.entries(request).filter(
    ([field, value]) =>
      value !== undefined && !isFlagOff(type, field, value) && !foreign.includes(field as RequestField),
  );
  const step: object = {
    ...STEP_DEFAULTS[type],
    ...Object.fromEntries(sentFields),
    name: name ?? request.key,
    batch: batch === undefined || batch === null ? null : String(batch),
    retries: retries
      ? { count: retries.count, delaySeconds: retries.delaySeconds ?? 0, backoff: retries.backoff ?? 'constant' }
      : null,
    ...(listOwnFields(type).includes('become') ? { become: toUserName(become) } : {}),
  };
  return step as WrittenStep;
}

/** Whether the field is left out, because flags without default are stored only if true. */
const isFlagOff = (type: StepType, field: string, value: unknown): boolean =>
  listOwnFields(type).includes(field as RequestField) && !(field in STEP_DEFAULTS[type]) && value !== true;

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

/** Whether a refused field has its default, which is accepted, so that a response can be sent back. */
function isDefault(type: StepType, field: RequestField, value: unknown): boolean {
  if (!listRefusedFields(type).includes(field)) return false;
  const defaults: Partial<Record<RequestField, unknown>> = STEP_DEFAULTS[type];
  return JSON.stringify(defaults[field]) === JSON.stringify(value);
}

/** Returns the fields that steps of this type cannot have. */
export const listForeignFields = (type: StepType): RequestField[] => [
  ...[...new Set([...OWN_FIELDS.values()].flat())].filter((field) => !listOwnFields(type).includes(field)),
  ...listRefusedFields(type),
];

const findStepTypes = (field: RequestField) => {
  const isOwn = STEP_TYPES.some((type) => listOwnFields(type).includes(field));
  return STEP_TYPES.filter((type) =>
    isOwn ? listOwnFields(type).includes(field) : !listRefusedFields(type).includes(field),
  ).join(' or ');
};
