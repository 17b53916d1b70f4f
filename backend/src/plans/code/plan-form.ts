import { EMPTY_PLAN, type PlanContent, STEP_DEFAULTS, STEP_TYPES, type StepType } from '../steps/plan-content.js';
import { toPlanStepView } from '../steps/plan-step.view.js';
import type { Tree } from './plan-text.js';
import { PLAN_REFERENCES, type ReferenceField, STEP_REFERENCES } from './references.js';
import { same } from './write-yaml.js';

export type Fields = { [name: string]: Tree };

/** A plan as fields of its text: `sparse` without defaults, `full` with all defaults. */
export interface PlanForm {
  readonly sparse: Fields;
  readonly full: Fields;
}

/** First fields of a text. All other fields follow in the order of the API. */
const PLAN_FIRST = [
  ...['name', 'description', 'collection', 'collectionId', 'environment', 'environmentId', 'targets'],
  ...['allowedModes', 'strategy', 'onFailure', 'maxFailPercent', 'timeoutSeconds', 'parallelSafe', 'locks'],
];
const PLAN_LAST = ['variables', 'steps'];
const STEP_FIRST = ['key', 'name', 'type', 'targets', 'when', 'forEach'];

const BASE_FIELDS = Object.keys(STEP_DEFAULTS.gate).filter((field) => field !== 'message');

export const contentFields = ({ steps, variables, ...rest }: PlanContent): Fields =>
  ({
    ...rest,
    variables: variables.map((variable) => ({ ...variable })),
    steps: steps.map((step) => toPlanStepView(step)),
  }) as unknown as Fields;

/**
 * @param plan fields as the API accepts them; anything else is returned unchanged
 * @param names names of referenced records, by ID; a record without a name is written by ID
 */
export function planForm(plan: Fields, names: ReadonlyMap<string, string>): PlanForm {
  const { variables = [], steps = [], ...own } = plan;
  const defaults = { ...(EMPTY_PLAN as unknown as Fields), description: '', environmentId: null, collectionId: null };
  const outer = formOf(own, { defaults, references: PLAN_REFERENCES, keep: ['name'], first: PLAN_FIRST }, names);
  const inner = {
    variables: formsOf(variables, variableForm),
    steps: formsOf(steps, (step) => stepForm(step, names)),
  };
  const { variables: _, steps: __, ...full } = outer.full;
  return {
    sparse: {
      ...orderFields(outer.sparse, PLAN_FIRST, PLAN_LAST),
      ...(same(inner.variables.sparse, []) ? {} : { variables: inner.variables.sparse }),
      steps: inner.steps.sparse,
    },
    full: { ...full, variables: inner.variables.full, steps: inner.steps.full },
  };
}

interface Kind {
  readonly defaults: Fields;
  readonly references: readonly ReferenceField[];
  /** Fields that are written even if they equal the default. */
  readonly keep: readonly string[];
  readonly first: readonly string[];
}

function formOf(
  said: Fields,
  { defaults, references, keep, first }: Kind,
  names: ReadonlyMap<string, string>,
): PlanForm {
  const full: Fields = { ...defaults, ...said };
  const sparse: Fields = {};
  for (const [field, value] of Object.entries(said)) {
    if (!keep.includes(field) && same(value, defaults[field] ?? null)) continue;
    const reference = references.find(({ id }) => id === field);
    const name = reference && typeof value === 'string' ? names.get(value) : undefined;
    if (reference && name !== undefined) {
      sparse[reference.name] = name;
      full[reference.name] = name;
    } else sparse[field] = value;
  }
  return { sparse: orderFields(sparse, first, []), full };
}

const VARIABLE_KIND: Kind = {
  defaults: { required: false },
  references: [],
  keep: ['name', 'type'],
  first: ['name', 'type', 'description', 'required', 'default', 'choices', 'pattern'],
};

const variableForm = (variable: Fields): PlanForm => formOf(variable, VARIABLE_KIND, new Map());

function stepForm(step: Fields, names: ReadonlyMap<string, string>): PlanForm {
  const type = isStepType(step.type) ? step.type : 'command';
  const key = typeof step.key === 'string' ? step.key : '';
  const defaults = {
    ...(toPlanStepView({ ...STEP_DEFAULTS[type], key, name: key }) as unknown as Fields),
    type: 'command',
  };
  const own = Object.keys(STEP_DEFAULTS[type]).filter((field) => !BASE_FIELDS.includes(field));
  const first = [...STEP_FIRST, ...own.flatMap((field) => [field, ...namesOf(field)])];
  const { sparse, full } = formOf(step, { defaults, references: STEP_REFERENCES, keep: ['key'], first }, names);
  if (isFields(sparse.retries)) {
    const retries = formOf(sparse.retries, RETRIES_KIND, names);
    return { sparse: { ...sparse, retries: retries.sparse }, full: { ...full, type, retries: retries.full } };
  }
  return { sparse, full: { ...full, type } };
}

const RETRIES_KIND: Kind = {
  defaults: { delaySeconds: 0, backoff: 'constant' },
  references: [],
  keep: ['count'],
  first: ['count'],
};

const namesOf = (field: string): string[] => STEP_REFERENCES.filter(({ id }) => id === field).map(({ name }) => name);

const isStepType = (type: Tree | undefined): type is StepType => STEP_TYPES.includes(type as StepType);

function formsOf(list: Tree, formOfItem: (item: Fields) => PlanForm): { sparse: Tree; full: Tree } {
  if (!Array.isArray(list)) return { sparse: list, full: list };
  const forms = list.map((item) => (isFields(item) ? formOfItem(item) : { sparse: item, full: item }));
  return { sparse: forms.map(({ sparse }) => sparse), full: forms.map(({ full }) => full) };
}

export const isFields = (value: Tree | undefined): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

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
