import { BASE_DEFAULTS } from '../steps/fields/step-base.js';
import { EMPTY_PLAN, type PlanContent } from '../steps/plan-content.js';
import { toPlanStepView } from '../steps/plan-step.view.js';
import type { ReferenceField } from '../steps/types/step-type.js';
import { STEP_DEFAULTS, STEP_REFERENCES, STEP_TYPES, type StepType } from '../steps/types/step-types.js';
import { type Fields, isFields, type YamlTree } from './plan-text.js';
import { PLAN_REFERENCES } from './references.js';
import { isSameTree } from './write-yaml.js';

/** A plan as fields of its text: `sparse` without defaults, `full` with all defaults. */
export interface PlanForm {
  readonly sparse: Fields;
  readonly full: Fields;
}

/** First fields of a text. All other fields follow in the order of the API. */
const FIRST_PLAN_FIELDS = [
  ...['name', 'description', 'collection', 'collectionId', 'environment', 'environmentId', 'targets'],
  ...['allowedModes', 'strategy', 'onFailure', 'maxFailPercent', 'timeoutSeconds', 'parallelSafe', 'locks'],
];
const LAST_PLAN_FIELDS = ['variables', 'steps'];
const FIRST_STEP_FIELDS = ['key', 'name', 'type', 'targets', 'when', 'forEach'];

const BASE_FIELDS = [...Object.keys(BASE_DEFAULTS), 'type', 'timeoutSeconds'];

export const toContentFields = ({ steps, variables, ...rest }: PlanContent): Fields =>
  ({
    ...rest,
    variables: variables.map((variable) => ({ ...variable })),
    steps: steps.map((step) => toPlanStepView(step)),
  }) as unknown as Fields;

/**
 * @param plan fields as the API accepts them; anything else is returned unchanged
 * @param names names of referenced records, by ID; a record without a name is written by ID
 */
export function toPlanForm(plan: Fields, names: ReadonlyMap<string, string>): PlanForm {
  const { variables = [], steps = [], ...own } = plan;
  const defaults = { ...(EMPTY_PLAN as unknown as Fields), description: '', environmentId: null, collectionId: null };
  const outer = toForm(own, { defaults, references: PLAN_REFERENCES, keep: ['name'], first: FIRST_PLAN_FIELDS }, names);
  const inner = {
    variables: toForms(variables, toVariableForm),
    steps: toForms(steps, (step) => toStepForm(step, names)),
  };
  const { variables: _, steps: __, ...full } = outer.full;
  return {
    sparse: {
      ...orderFields(outer.sparse, FIRST_PLAN_FIELDS, LAST_PLAN_FIELDS),
      ...(isSameTree(inner.variables.sparse, []) ? {} : { variables: inner.variables.sparse }),
      steps: inner.steps.sparse,
    },
    full: { ...full, variables: inner.variables.full, steps: inner.steps.full },
  };
}

interface FormRules {
  readonly defaults: Fields;
  readonly references: readonly ReferenceField[];
  /** Fields that are written even if they equal the default. */
  readonly keep: readonly string[];
  readonly first: readonly string[];
}

function toForm(
  said: Fields,
  { defaults, references, keep, first }: FormRules,
  names: ReadonlyMap<string, string>,
): PlanForm {
  const full: Fields = { ...defaults, ...said };
  const sparse: Fields = {};
  for (const [field, value] of Object.entries(said)) {
    if (!keep.includes(field) && isSameTree(value, defaults[field] ?? null)) continue;
    const reference = references.find(({ id }) => id === field);
    const name = reference && typeof value === 'string' ? names.get(value) : undefined;
    if (reference && name !== undefined) {
      sparse[reference.name] = name;
      full[reference.name] = name;
    } else sparse[field] = value;
  }
  return { sparse: orderFields(sparse, first, []), full };
}

const VARIABLE_FORM_RULES: FormRules = {
  defaults: { required: false },
  references: [],
  keep: ['name', 'type'],
  first: ['name', 'type', 'description', 'required', 'default', 'choices', 'pattern'],
};

const toVariableForm = (variable: Fields): PlanForm => toForm(variable, VARIABLE_FORM_RULES, new Map());

function toStepForm(step: Fields, names: ReadonlyMap<string, string>): PlanForm {
  const type = isStepType(step.type) ? step.type : 'command';
  const key = typeof step.key === 'string' ? step.key : '';
  const defaults = {
    ...(toPlanStepView({ ...STEP_DEFAULTS[type], key, name: key }) as unknown as Fields),
    type: 'command',
  };
  const own = Object.keys(STEP_DEFAULTS[type]).filter((field) => !BASE_FIELDS.includes(field));
  const first = [...FIRST_STEP_FIELDS, ...own.flatMap((field) => [field, ...findReferenceNames(field)])];
  const { sparse, full } = toForm(step, { defaults, references: STEP_REFERENCES, keep: ['key'], first }, names);
  if (isFields(sparse.retries)) {
    const retries = toForm(sparse.retries, RETRIES_FORM_RULES, names);
    return { sparse: { ...sparse, retries: retries.sparse }, full: { ...full, type, retries: retries.full } };
  }
  return { sparse, full: { ...full, type } };
}

const RETRIES_FORM_RULES: FormRules = {
  defaults: { delaySeconds: 0, backoff: 'constant' },
  references: [],
  keep: ['count'],
  first: ['count'],
};

const findReferenceNames = (field: string): string[] =>
  STEP_REFERENCES.filter(({ id }) => id === field).map(({ name }) => name);

const isStepType = (type: YamlTree | undefined): type is StepType => STEP_TYPES.includes(type as StepType);

function toForms(list: YamlTree, formOfItem: (item: Fields) => PlanForm): { sparse: YamlTree; full: YamlTree } {
  if (!Array.isArray(list)) return { sparse: list, full: list };
  const forms = list.map((item) => (isFields(item) ? formOfItem(item) : { sparse: item, full: item }));
  return { sparse: forms.map(({ sparse }) => sparse), full: forms.map(({ full }) => full) };
}

/** Orders fields by the two lists. Fields in neither list come between them. */
function orderFields(fields: Fields, first: readonly string[], last: readonly string[]): Fields {
  const rank = (name: string) => {
    const early = first.indexOf(name);
    if (early >= 0) return early;
    const late = last.indexOf(name);
    return first.length + (late < 0 ? 0 : late + 1);
  };
  return Object.fromEntries(Object.entries(fields).sort(([one], [other]) => rank(one) - rank(other)));
}
