import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf, resolve, type Schema } from './openapi-schemas.js';

const BY_FORMAT: Record<string, string> = {
  'date-time': '2026-03-14T02:00:00.000Z',
  uuid: '01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79',
  email: 'ana@example.com',
};
/** Example values of text fields that declare none, by field name. */
const BY_NAME: Record<string, string> = {
  address: '192.0.2.7',
  comment: 'Reviewed the difference.',
  content: 'echo hello\n',
  currentPassword: 'the old battery staple',
  description: 'Rolls a release out.',
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  email: 'ana@example.com',
  environmentName: 'staging',
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  key: 'restart',
  name: 'Ana',
  planName: 'Deploy web',
  prefix: 'runward_abcd1234',
  secret: 'Vb3kQ0m7yWcJ',
  serverName: 'web-1',
  stepKey: 'restart',
  targets: 'role=web',
};

/**
 * Adds an example to every JSON request body and successful JSON response. The example consists of the examples of the
 * fields.
 */
export function addExamples(document: OpenAPIObject): void {
  const build = (schema: Schema, whole: boolean): unknown => exampleOf(document, schema, '', whole);
  for (const { requestBody, responses } of operationsOf(document)) {
    const body = requestBody?.content['application/json'];
    if (body?.schema) body.example ??= build(body.schema, false);
    for (const [status, { content }] of Object.entries(responses)) {
      const answer = content?.['application/json'];
      if (status.startsWith('2') && answer?.schema) answer.example ??= build(answer.schema, true);
    }
  }
}

/** @param whole true: all fields; false: only required fields and fields that declare an example */
function exampleOf(document: OpenAPIObject, schemaOrRef: Schema, name: string, whole: boolean): unknown {
  if (schemaOrRef.example !== undefined) return schemaOrRef.example;
  const schema = resolve(document, schemaOrRef);
  if (schema.example !== undefined) return schema.example;
  // If a field adds a description to a reference, the reference is wrapped.
  const branch = schema.oneOf?.[0] ?? (schema.allOf?.length === 1 ? schema.allOf[0] : undefined);
  if (branch) return exampleOf(document, branch, name, whole);
  const types = [schema.type].flat();
  if (schema.anyOf || types.includes('null')) return null;
  if (schema.enum) return schema.enum[0];
  switch (types[0]) {
    case 'string':
      return BY_FORMAT[schema.format ?? ''] ?? BY_NAME[name] ?? name;
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return false;
    case 'array':
      return [exampleOf(document, schema.items ?? {}, name.replace(/s$/, ''), whole)];
    default:
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([field, property]) => whole || schema.required?.includes(field) || hasExample(document, property))
          .map(([field, property]) => [field, exampleOf(document, property, field, whole)]),
      );
  }
}

/** Whether the field, or a field nested in it, declares an example. */
function hasExample(document: OpenAPIObject, schemaOrRef: Schema): boolean {
  const schema = resolve(document, schemaOrRef);
  if (schemaOrRef.example !== undefined || schema.example !== undefined) return true;
  return Object.values(schema.properties ?? {}).some((property) => hasExample(document, property));
}
