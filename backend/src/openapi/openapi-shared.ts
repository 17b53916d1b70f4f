import type { OpenAPIObject } from '@nestjs/swagger';
import { ROLES } from '../common/access/principal.js';
import {
  DECISION_ACTIONS,
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  HOST_STATUSES,
  PAUSE_REASONS,
  STEP_STATUSES,
  VERDICTS,
} from '../executions/lifecycle/statuses.js';
import { EVENT_TYPES } from '../outbox/event-types.js';
import { MAX_LIST_ITEMS, MAX_VALUE_LENGTH } from '../variables/variable-value.js';
import { HEADERS_OF_MESSAGES } from './openapi-events.js';
import { type Answer, operationsOf, type Parameter, type Schema } from './openapi-schemas.js';

/** Names of problems, and of the answers of webhook receivers. */
const RESPONSE_NAMES: Readonly<Record<string, string>> = {
  '400': 'BadRequest',
  '401': 'Unauthorized',
  '403': 'Forbidden',
  '404': 'NotFound',
  '409': 'Conflict',
  '412': 'PreconditionFailed',
  '413': 'ContentTooLarge',
  '415': 'UnsupportedMediaType',
  '422': 'UnprocessableContent',
  '429': 'TooManyRequests',
  '503': 'ServiceUnavailable',
  '2XX': 'Delivered',
  '410': 'WebhookGone',
  default: 'DeliveryFailed',
};

/**
 * Replaces parameters and responses that repeat by references, so that each is in the document once. Of several with the
 * same name, this is the most frequent one.
 */
export function shareRepetitions(document: OpenAPIObject): void {
  const parameters = new Repetitions<Parameter>('parameters');
  const responses = new Repetitions<Answer>('responses');
  const operations = operationsOf(document);
  for (const operation of operations) {
    // Generators of Python and Go clients do not resolve references in the `webhooks` section.
    for (const parameter of operation.parameters ?? [])
      if (!HEADERS_OF_MESSAGES.has(parameter.name)) parameters.add(`${parameter.in}.${parameter.name}`, parameter);
    for (const [status, response] of Object.entries(operation.responses))
      responses.add(nameOf(status, response), response);
  }
  for (const operation of operations) {
    if (operation.parameters) operation.parameters = operation.parameters.map((each) => parameters.toReference(each));
    for (const [status, response] of Object.entries(operation.responses))
      operation.responses[status] = responses.toReference(response);
  }
  document.components = {
    ...document.components,
    ...({ parameters: parameters.list(), responses: responses.list() } as OpenAPIObject['components']),
  };
}

/** Name of a response in the components: its problem, or else its schema. */
function nameOf(status: string, { content }: Answer): string {
  const problem = RESPONSE_NAMES[status];
  if (problem) return problem;
  const schema = content?.['application/json']?.schema?.$ref?.split('/').at(-1);
  if (!schema) return 'Done';
  return status === '200' ? schema : `${schema}.${status}`;
}

class Repetitions<T extends object> {
  private readonly uses = new Map<string, { name: string; value: T; count: number }>();
  private names: Map<string, string> | undefined;

  constructor(private readonly section: 'parameters' | 'responses') {}

  add(name: string, value: T): void {
    const json = JSON.stringify(value);
    this.uses.set(json, { name, value, count: (this.uses.get(json)?.count ?? 0) + 1 });
  }

  list(): Record<string, T> {
    const named = [...this.shared()].flatMap(([json, name]): [string, T][] => {
      const use = this.uses.get(json);
      return use ? [[name, use.value]] : [];
    });
    return Object.fromEntries(named.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** @returns the value itself if it is not shared */
  toReference(value: T): T {
    const name = this.shared().get(JSON.stringify(value));
    return name === undefined ? value : ({ $ref: `#/components/${this.section}/${name}` } as unknown as T);
  }

  /** Returns the names of shared values by their JSON. */
  private shared(): Map<string, string> {
    if (this.names) return this.names;
    const repeated = [...this.uses].filter(([, { count }]) => count > 1).sort(([, a], [, b]) => a.count - b.count);
    const latest = new Map(repeated.map(([json, { name }]) => [name, json]));
    this.names = new Map([...latest].map(([name, json]) => [json, name]));
    return this.names;
  }
}

/** Enums that many schemas have, by name of their component. */
const ENUMS: Readonly<Record<string, { description: string; values: readonly string[] }>> = {
  ExecutionStatus: { description: 'Status of a run.', values: EXECUTION_STATUSES },
  StepStatus: { description: 'Status of a step in a run.', values: STEP_STATUSES },
  HostStatus: { description: 'Status of a host, or of a step on a host.', values: HOST_STATUSES },
  ExecutionMode: { description: 'Mode of a run.', values: EXECUTION_MODES },
  PauseReason: { description: 'Reason why a run waits for a person.', values: PAUSE_REASONS },
  DecisionAction: { description: 'Answer of a person to a paused run.', values: DECISION_ACTIONS },
  Verdict: { description: 'Prediction of a dry run.', values: VERDICTS },
  Role: { description: 'Rights of a member in the tenant.', values: ROLES },
  EventType: { description: 'Type of an event, for webhooks.', values: EVENT_TYPES },
};

/** Names shared enums, so that generated clients have one type for each. */
export function shareEnums(document: OpenAPIObject): void {
  const names = new Map(Object.entries(ENUMS).map(([name, { values }]) => [toSetKey(values), name]));
  replaceEnums(document.components?.schemas, names);
  const schemas = Object.entries(ENUMS).map(([name, { description, values }]) => [
    name,
    { type: 'string', description, enum: [...values] },
  ]);
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...(Object.fromEntries(schemas) as Record<string, object>) },
  };
}

const toSetKey = (values: readonly unknown[]): string =>
  JSON.stringify(values.filter((value) => value !== null).toSorted());

function replaceEnums(value: unknown, names: ReadonlyMap<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Schema;
  const name = Array.isArray(schema.enum) ? names.get(toSetKey(schema.enum)) : undefined;
  if (name === undefined) {
    for (const [key, inner] of Object.entries(value)) if (key !== 'example') replaceEnums(inner, names);
    return;
  }
  const reference = { $ref: `#/components/schemas/${name}` };
  const isNullable = schema.enum?.includes(null);
  delete schema.enum;
  delete schema.type;
  if (isNullable) schema.oneOf = [reference, { type: 'null' }];
  else if (Object.keys(schema).length > 0) schema.allOf = [reference];
  else Object.assign(schema, reference);
}

const VARIABLE_VALUE = 'VariableValue';

/** Names the schema of variable values, so that generated clients have one type for them. */
export function shareVariableValues(document: OpenAPIObject): void {
  const plain: Schema[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];
  const options = [...plain, { type: 'array', items: { oneOf: plain } }];
  replaceOptions(document, options);
  const exact: Schema[] = [
    { type: 'string', maxLength: MAX_VALUE_LENGTH },
    { type: 'number', format: 'double' },
    { type: 'boolean' },
  ];
  document.components = {
    ...document.components,
    schemas: {
      ...document.components?.schemas,
      [VARIABLE_VALUE]: {
        description: 'Value of a variable. A number has the precision of a double.',
        oneOf: [...exact, { type: 'array', items: { oneOf: exact }, maxItems: MAX_LIST_ITEMS }] as object[],
      },
    },
  };
}

/**
 * Names the other schemas that allow a list or another type. Java clients map these names to `Object`, because their
 * generator writes no valid class for such a schema.
 */
export function nameListOptions(document: OpenAPIObject): void {
  const schemas = document.components?.schemas as Record<string, Schema>;
  const name = (title: string, description: string, schema: Schema | undefined): void => {
    if (!schema?.oneOf) return;
    schemas[title] ??= { description, oneOf: schema.oneOf.filter(({ type }) => type !== 'null') };
    const reference = { $ref: `#/components/schemas/${title}` };
    if (schema.oneOf.some(({ type }) => type === 'null')) schema.oneOf = [reference, { type: 'null' }];
    else {
      delete schema.oneOf;
      delete schema.example;
      Object.assign(schema, reference);
    }
  };
  for (const step of ['PlanStepRequest', 'PlanStepView'])
    name('StepItems', 'Name of a variable of type list, or items.', schemas[step]?.properties?.forEach);
  const exported = document.paths['/api/inventory/servers/export']?.get?.responses['200'] as Answer | undefined;
  name('ExportedServers', 'Servers in the requested format.', exported?.content?.['application/json']?.schema);
}

/** Replaces each `oneOf` that has these options, with or without null, in all schemas within `value`. */
function replaceOptions(value: unknown, options: readonly Schema[]): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Schema;
  const found = schema.oneOf?.filter(({ type }) => type !== 'null');
  if (found && JSON.stringify(found.map(withoutFormat)) === JSON.stringify(options)) {
    const reference = { $ref: `#/components/schemas/${VARIABLE_VALUE}` };
    if (found.length < (schema.oneOf?.length ?? 0)) schema.oneOf = [reference, { type: 'null' }];
    else {
      delete schema.oneOf;
      Object.assign(schema, reference);
    }
    return;
  }
  for (const inner of Object.values(value)) replaceOptions(inner, options);
}

function withoutFormat({ format: _, items, oneOf, ...schema }: Schema): Schema {
  return {
    ...schema,
    ...(items ? { items: withoutFormat(items) } : {}),
    ...(oneOf ? { oneOf: oneOf.map(withoutFormat) } : {}),
  };
}
