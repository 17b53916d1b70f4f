import type { OpenAPIObject } from '@nestjs/swagger';
import { PLAN_REFERENCES } from '../plans/code/references.js';
import { EMPTY_PLAN } from '../plans/steps/plan-content.js';
import { listForeignFields } from '../plans/steps/step-of-request.js';
import type { ReferenceField } from '../plans/steps/types/step-type.js';
import { STEP_DEFAULTS, STEP_REFERENCES, STEP_TYPES, type StepType } from '../plans/steps/types/step-types.js';
import type { Schema } from './openapi-schemas.js';

type JsonSchema = Record<string, unknown>;

const REF = '#/components/schemas/';
const PARTS = { CreatePlanRequest: 'plan', PlanVariableRequest: 'variable', PlanStepRequest: 'step' } as const;
const NOUN_BY_SCHEMA = {
  environment: 'Name of the environment',
  collection: 'Path of the collection, such as `Releases/Web`',
  script: 'Name of the script',
  template: 'Name of the template',
  'git source': 'Name of the git source',
  plan: 'Name of the plan',
} as const;
/** What a request says beside what the plan is. */
const FIELDS_NOT_IN_TEXTS = ['message'];
/** Fields that hold what is not a default of their own. */
const WITHOUT_DEFAULT = ['key', 'name', 'type'];

/**
 * The JSON schema (2020-12) of a plan's text, made of the fields of the API: an editor completes and explains them. Where
 * it is looser than the API, the server reports the fault.
 */
export function planSchema(document: OpenAPIObject): JsonSchema {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const definitions: Record<string, JsonSchema> = {};
  const add = (name: string): JsonSchema => {
    const key =
      PARTS[name as keyof typeof PARTS] ?? name.replace(/Request$/, '').replace(/^\w/, (c) => c.toLowerCase());
    if (!(key in definitions)) {
      definitions[key] = {};
      definitions[key] = toJsonSchema(schemas[name] ?? {}, add);
    }
    return { $ref: `#/$defs/${key}` };
  };
  add('CreatePlanRequest');
  const { plan = {}, step = {}, ...rest } = definitions;
  const whole = withReferences(plan, PLAN_REFERENCES);
  for (const name of FIELDS_NOT_IN_TEXTS) delete (whole.properties as JsonSchema)[name];
  withDefaults(whole, EMPTY_PLAN);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Runward plan',
    ...whole,
    $defs: { ...rest, step: { ...withReferences(step, STEP_REFERENCES), allOf: STEP_TYPES.map(toStepSchema) } },
  };
}

/** A schema of the OpenAPI document with its parts under `$defs`. */
function toJsonSchema(schema: Schema, add: (name: string) => JsonSchema): JsonSchema {
  const { $ref, example, oneOf, anyOf, items, properties, additionalProperties, ...plain } = schema as Schema & {
    description?: string;
  };
  if ($ref) return add($ref.slice(REF.length));
  const branches = oneOf ?? anyOf;
  const result: JsonSchema = { ...plain };
  if (example !== undefined) result.examples = [example];
  // `anyOf`: what two branches allow is no fault.
  if (branches) result.anyOf = branches.map((branch) => toJsonSchema(branch, add));
  if (items) result.items = toJsonSchema(items, add);
  if (additionalProperties !== undefined)
    result.additionalProperties =
      typeof additionalProperties === 'object' ? toJsonSchema(additionalProperties, add) : additionalProperties;
  if (properties) {
    const fields = Object.entries(properties).map(([name, field]): [string, JsonSchema] => [
      name,
      toJsonSchema(field, add),
    ]);
    result.properties = Object.fromEntries(fields);
  }
  return result;
}

/** With the names that a text may say in place of ids. What is required by id is not required here. */
function withReferences(schema: JsonSchema, references: readonly ReferenceField[]): JsonSchema {
  const properties: Record<string, JsonSchema> = { ...(schema.properties as Record<string, JsonSchema>) };
  for (const { id, name, kind } of references) {
    const { description, ...byId } = properties[id] ?? {};
    const said = typeof description === 'string' ? ` ${description}` : '';
    properties[id] = { ...byId, description: `Id, instead of \`${name}\`.${said}` };
    properties[name] = { type: ['string', 'null'], description: `${NOUN_BY_SCHEMA[kind]}.${said}` };
  }
  return { ...schema, properties };
}

function withDefaults(schema: JsonSchema, defaults: object): void {
  const properties = schema.properties as Record<string, JsonSchema>;
  for (const [name, value] of Object.entries(defaults)) {
    if (properties[name] && !WITHOUT_DEFAULT.includes(name) && !Array.isArray(value) && value !== null)
      properties[name].default = value;
  }
}

/** What a step of this type has; without a type it is a command. */
function toStepSchema(type: StepType): JsonSchema {
  const foreign = listForeignFields(type).flatMap((field) => [
    field,
    ...STEP_REFERENCES.filter(({ id }) => id === field).map(({ name }) => name),
  ]);
  const defaults = Object.entries(STEP_DEFAULTS[type] as unknown as JsonSchema).filter(
    ([name, value]) => !WITHOUT_DEFAULT.includes(name) && value !== null && value !== '' && !Array.isArray(value),
  );
  return {
    if: { properties: { type: { const: type } }, ...(type === 'command' ? {} : { required: ['type'] }) },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON schema
    then: {
      properties: {
        ...Object.fromEntries(defaults.map(([name, value]) => [name, { default: value }])),
        ...Object.fromEntries(foreign.map((name) => [name, { type: 'null' }])),
      },
    },
  };
}
