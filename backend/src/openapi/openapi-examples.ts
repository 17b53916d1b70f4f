import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf, resolve, type Schema } from './openapi-schemas.js';

const BY_FORMAT: Record<string, string> = {
  'date-time': '2026-03-14T02:00:00.000Z',
  uuid: '01927c5e-7d3a-7cc1-a2b4-8f1d3c5b6a79',
  email: 'ana@example.com',
};
const SHA_256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** Example values of text fields that declare none, by field name. A list has the name of its items. */
const BY_NAME: Record<string, string> = {
  address: '192.0.2.7',
  advice: 'Wait until the other run has finished.',
  argument: '--verbose',
  audience: 'https://runward.example.com',
  authorEmail: 'ada@example.com',
  authorName: 'Ada Lovelace',
  body: '{"type":"execution.finished","timestamp":"2026-03-14T02:00:00.000Z","data":{}}',
  choice: 'blue',
  command: 'systemctl restart nginx',
  comment: 'Reviewed the difference.',
  commit: '0b9c2625dc21ef05f6ad4ddf47c5f203837aa32c',
  content: 'echo hello\n',
  createdByName: 'Ada Lovelace',
  currentPassword: 'the old battery staple',
  default: '2.4.1',
  description: 'Rolls a release out.',
  digest: SHA_256,
  email: 'ana@example.com',
  environmentName: 'staging',
  hash: SHA_256,
  host: 'web-1',
  issuer: 'https://token.actions.githubusercontent.com',
  key: 'restart',
  line: 'Restarting nginx',
  lock: 'database',
  markedBy: 'Ada Lovelace',
  meaning: 'Another run uses the same hosts.',
  message: 'Unknown field "comand".',
  name: 'Ana',
  needs: 'install',
  nextTime: '2026-03-15T02:00:00.000Z',
  onlyIfChanged: 'install',
  outerCondition: 'host.tags.role == "web"',
  output: 'address',
  path: 'deploy/restart.sh',
  pattern: String.raw`^\d+\.\d+\.\d+$`,
  planName: 'Deploy web',
  prefix: 'runward_abcd1234',
  privateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\n…\n-----END OPENSSH PRIVATE KEY-----\n',
  publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIhXDhFvh5z8kzNYwdcHs7lJkSxcEjIzxNnSU7WzUrR4',
  reason: 'The release was withdrawn.',
  secret: 'Vb3kQ0m7yWcJ',
  secretName: 'DB_PASSWORD',
  setPasswordPath: '/set-password#Vb3kQ0m7yWcJ…',
  serverName: 'web-1',
  sha256: SHA_256,
  sourceName: 'shop-config',
  sourcePath: 'config/nginx.conf',
  step: 'restart',
  stepKey: 'restart',
  stepName: 'Restart the service',
  subject: 'Restart web after the release',
  targets: 'role=web',
  text: 'Restarting nginx',
  token: 'runward_abcd1234…',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  warning: 'Sunday is 0 and 7.',
};

/**
 * Adds an example to every JSON request body, and to every schema of a successful JSON response. The example consists of
 * the examples of the fields.
 */
export function addExamples(document: OpenAPIObject): void {
  const build = (schema: Schema, whole: boolean): unknown => exampleOf(document, schema, '', whole);
  const records = new Map<Schema, unknown>();
  for (const { requestBody, responses } of operationsOf(document)) {
    const body = requestBody?.content['application/json'];
    if (body?.schema) body.example ??= build(body.schema, false);
    for (const [status, { content }] of Object.entries(responses)) {
      const answer = content?.['application/json'];
      if (!status.startsWith('2') || !answer?.schema) continue;
      if (answer.schema.$ref) records.set(resolve(document, answer.schema), build(answer.schema, true));
      else answer.example ??= build(answer.schema, true);
    }
  }
  // After all examples are built, because an example in a schema changes the examples of bodies that contain it.
  for (const [schema, example] of records) schema.example ??= example;
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
