import type { OpenAPIObject } from '@nestjs/swagger';
import { type Answer, operationsOf, type Schema } from './openapi-schemas.js';

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
};

/** Replaces the most frequent response of each error status by a reference. It is in the document once. */
export function shareResponses(document: OpenAPIObject): void {
  const uses = new Map<string, { status: string; response: Answer; count: number }>();
  for (const { responses } of operationsOf(document)) {
    for (const [status, response] of Object.entries(responses)) {
      if (!(status in RESPONSE_NAMES)) continue;
      const key = status + JSON.stringify(response);
      uses.set(key, { status, response, count: (uses.get(key)?.count ?? 0) + 1 });
    }
  }
  const frequent = [...uses].sort(([, one], [, other]) => one.count - other.count);
  const keys = new Map(frequent.map(([key, { status }]) => [status, key]));
  const shared = Object.entries(RESPONSE_NAMES).flatMap(([status, name]) => {
    const use = uses.get(keys.get(status) ?? '');
    return use ? [[name, use.response] as const] : [];
  });
  document.components = {
    ...document.components,
    responses: Object.fromEntries(shared) as NonNullable<OpenAPIObject['components']>['responses'],
  };
  for (const { responses } of operationsOf(document)) {
    for (const [status, response] of Object.entries(responses)) {
      if (keys.get(status) === status + JSON.stringify(response))
        responses[status] = { $ref: `#/components/responses/${RESPONSE_NAMES[status]}` };
    }
  }
}

const VARIABLE_VALUE = 'VariableValue';

/** Names the schema of variable values, so that generated clients have one type for them. */
export function shareVariableValues(document: OpenAPIObject): void {
  const plain: Schema[] = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];
  const options = [...plain, { type: 'array', items: { oneOf: plain } }];
  replaceOptions(document, options);
  const exact: Schema[] = plain.map((schema) => (schema.type === 'number' ? { ...schema, format: 'double' } : schema));
  document.components = {
    ...document.components,
    schemas: {
      ...document.components?.schemas,
      [VARIABLE_VALUE]: {
        description: 'Value of a variable. A number has the precision of a double.',
        oneOf: [...exact, { type: 'array', items: { oneOf: exact } }] as object[],
      },
    },
  };
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
