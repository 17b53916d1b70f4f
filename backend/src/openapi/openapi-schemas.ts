import type { OpenAPIObject } from '@nestjs/swagger';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  uniqueItems?: boolean;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  contentMediaType?: string;
  contentSchema?: Schema;
}

const TIME_NAME = /(^at|At|[sS]ince)$/;
const TIME_BOUND = /^(from|to)$/;
const REVISION = /^(number|version|revision|planRevision)$/;
const ID = /(^id|Id)$/;
/** Fields whose names look like IDs although the values are not UUIDs. */
const NAMES_OF_NON_IDS = ['externalId', 'requestId', 'lastEventId'];

export interface Parameter {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema?: Schema;
}

/**
 * Adds what TypeScript types can't express, derived from the field names: integers, RFC 3339 times, UUIDs. A field for
 * numbers with a fraction must set its `format`.
 */
export function refineSchemas(document: OpenAPIObject): void {
  for (const [name, schema] of Object.entries((document.components?.schemas ?? {}) as Record<string, Schema>)) {
    // Request bodies may not contain unknown fields (spec, rule 3), so the document says so too.
    if (name.endsWith('Request') && schema.type === 'object') {
      schema.additionalProperties = false;
      acceptNull(schema);
    }
    // The compiler plugin lists the codes. Clients must accept new ones, so the document does not.
    if (name === 'Reason') delete schema.properties?.code?.enum;
    const counts = name.endsWith('View');
    for (const [field, property] of Object.entries(schema.properties ?? {})) refineSchema(field, property, counts);
  }
  for (const operation of operationsOf(document)) {
    for (const parameter of operation.parameters ?? []) {
      if (parameter.schema === undefined) continue;
      if (parameter.in === 'path') refinePathParameter(parameter.name, parameter.schema);
      if (parameter.in === 'query') refineSchema(parameter.name, parameter.schema, false);
      if (parameter.in === 'query' && TIME_BOUND.test(parameter.name) && has(parameter.schema, 'string'))
        parameter.schema.format = 'date-time';
    }
  }
}

/** Adds the type of IDs and numbers in a path. A malformed one gets 404. */
function refinePathParameter(name: string, schema: Schema): void {
  if (name === 'number') Object.assign(schema, { type: 'integer', minimum: 1 });
  if (ID.test(name) && !NAMES_OF_NON_IDS.includes(name)) schema.format ??= 'uuid';
}

/** Null means that an optional field is absent (`ValidationPipe`). */
function acceptNull({ properties = {}, required = [] }: Schema): void {
  for (const [name, property] of Object.entries(properties)) {
    if (required.includes(name) || allowsNull(property)) continue;
    const { $ref, allOf, oneOf, description, ...rest } = property;
    if (oneOf) property.oneOf = [...oneOf, { type: 'null' }];
    else if ($ref || allOf) {
      const reference = $ref ? { $ref } : (allOf?.[0] ?? {});
      properties[name] = { ...(description ? { description } : {}), ...rest, oneOf: [reference, { type: 'null' }] };
    } else {
      property.type = [...[property.type ?? []].flat(), 'null'];
      if (property.enum) property.enum = [...property.enum, null];
    }
  }
}

const allowsNull = (schema: Schema): boolean =>
  has(schema, 'null') || [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].some((option) => has(option, 'null'));

function refineSchema(name: string, schema: Schema, counts: boolean): void {
  if (has(schema, 'number') && schema.format === undefined) {
    schema.type = Array.isArray(schema.type) ? schema.type.map(wholeNumber) : 'integer';
    // Counts and measurements in responses are never negative; revisions begin with 1.
    if (counts) schema.minimum ??= REVISION.test(name) ? 1 : 0;
  }
  if (has(schema, 'string') && schema.enum === undefined) {
    if (TIME_NAME.test(name)) schema.format ??= 'date-time';
    else if (ID.test(name) && !NAMES_OF_NON_IDS.includes(name)) schema.format ??= 'uuid';
  }
  if (schema.items) refineSchema(name.replace(/s$/, ''), schema.items, counts);
  if (typeof schema.additionalProperties === 'object') refineSchema('', schema.additionalProperties, counts);
}

const has = ({ type }: Schema, typeName: string): boolean => [type].flat().includes(typeName);
const wholeNumber = (type: string): string => (type === 'number' ? 'integer' : type);

export interface DescribedOperation {
  operationId?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Content> };
  responses: Record<string, Answer>;
}

interface Content {
  schema?: Schema;
  example?: unknown;
}

export interface Answer {
  description?: string;
  $ref?: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Content>;
}

/** Returns the operations of all paths and webhooks. */
export const operationsOf = (document: OpenAPIObject): DescribedOperation[] =>
  [document.paths, document.webhooks ?? {}]
    .flatMap((paths) => Object.values(paths))
    .flatMap((path) => Object.values(path as Record<string, DescribedOperation>));

export function resolve(document: OpenAPIObject, schema: Schema): Schema {
  if (!schema.$ref) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  return (document.components?.schemas?.[name] ?? {}) as Schema;
}
