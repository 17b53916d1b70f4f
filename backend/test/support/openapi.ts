import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  example?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  /** Used for nullable values. */
  anyOf?: Schema[];
  /** Used for references with their own description, and for the data of webhook messages. */
  allOf?: [Schema, ...Schema[]];
  discriminator?: { propertyName: string; mapping: Record<string, string> };
  additionalProperties?: boolean | Schema;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
}

interface RawOperation {
  operationId: string;
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    {
      $ref?: string;
      description?: string;
      headers?: Record<string, object>;
      content?: Record<string, { schema?: Schema }>;
    }
  >;
}

interface Document {
  openapi: string;
  security: object[];
  paths: Record<string, Record<string, RawOperation>>;
  webhooks: Record<string, { post: RawOperation }>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: RawOperation['responses'];
    securitySchemes: Record<string, object>;
  };
}

export interface Operation extends RawOperation {
  /** In upper case. */
  method: string;
  /** With placeholders such as `{id}`. */
  path: string;
  /** Schema of the JSON body; undefined: no body. */
  body: Schema | undefined;
}

export const openApi: Document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8'),
) as Document;

export const operations: Operation[] = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
    body: operation.requestBody?.content['application/json']?.schema,
    parameters: operation.parameters?.map(resolvedParameter) ?? [],
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, resolvedResponse(response)]),
    ),
  })),
);

function resolvedParameter(parameter: Parameter & { $ref?: string }): Parameter {
  const name = parameter.$ref?.replace('#/components/parameters/', '');
  return (name && openApi.components.parameters[name]) || parameter;
}

function resolvedResponse(response: RawOperation['responses'][string]): RawOperation['responses'][string] {
  const name = response.$ref?.replace('#/components/responses/', '');
  return (name && openApi.components.responses[name]) || response;
}

export function operationOf(id: string): Operation {
  const found = operations.find((operation) => operation.operationId === id);
  if (!found) throw new Error(`The document has no operation ${id}.`);
  return found;
}

export function resolved(schema: Schema): Schema {
  if (schema.allOf) return merged(schema.allOf.map(resolved));
  if (!schema.$ref) return schema.anyOf ? { ...schema, oneOf: schema.anyOf } : schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const target = openApi.components.schemas[name];
  if (!target) throw new Error(`The document has no schema ${name}.`);
  return resolved(target);
}

const merged = ([first = {}, ...others]: Schema[]): Schema => ({
  ...first,
  ...(others.length > 0 && {
    properties: Object.assign(
      {},
      first.properties,
      ...others.map(({ properties }) => properties),
    ) as Schema['properties'],
    required: [first, ...others].flatMap(({ required = [] }) => required),
  }),
});

/** Returns the types that a value of this schema may have, including all branches of `oneOf`. */
export function typesOf(schema: Schema): string[] {
  const { type, oneOf } = resolved(schema);
  if (oneOf) return oneOf.flatMap(typesOf);
  return Array.isArray(type) ? type : [type ?? 'object'];
}

/** From the document, or 16 KiB for public routes. */
export function bodyLimitOf({ operationId, security, responses }: Operation): number {
  // Git forges send the content of pushes.
  if (operationId === 'receiveGitCall') return 512 * 1024;
  if (security?.length === 0) return 16 * 1024;
  // A route without a body still reads the body before it refuses the request.
  const named = /larger than (\d+) MiB/.exec(responses['413']?.description ?? 'larger than 1 MiB')?.[1];
  if (!named) throw new Error(`The document does not say how large a body of ${operationId} may be.`);
  return Number(named) * 1024 * 1024;
}

/** Values of the query parameters without which the service refuses a request. */
export const requiredQueryOf = ({ parameters = [] }: Pick<Operation, 'parameters'>): Record<string, string> =>
  Object.fromEntries(parameters.filter((each) => each.in === 'query' && each.required).map(({ name }) => [name, 'x']));
