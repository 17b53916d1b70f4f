import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { type Operation, operations, type Schema, typesOf } from './support/openapi.js';
import { schemaFaults, schemaNamed } from './support/schema-faults.js';
import { type SeededRandom, seededRandom } from './support/seeded-random.js';

const SEED = 20_261_128;
const REQUESTS_PER_OPERATION = 4;
/** Operations that never end by themselves, or read a repository, which no record here has. */
const LEFT_OUT = ['streamExecution', 'listGitTree', 'getGitFile', 'listGitCommits'];
/** A wait would only take time. */
const LEFT_OUT_PARAMETERS = ['wait'];

const reads = operations.filter(
  ({ method, operationId, parameters = [] }) =>
    method === 'GET' && !LEFT_OUT.includes(operationId) && parameters.some((parameter) => parameter.in === 'query'),
);

let runward: Installation;
let admin: TestMember;
let records: OneOfEach;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  records = await makeOneOfEach(admin, 'granite');
});
afterAll(() => runward.close());

/** Returns values that the schema allows; several for a list. */
function valuesFor(
  random: SeededRandom,
  name: string,
  schema: Schema & { minimum?: number; maximum?: number },
): string[] {
  const { items, minimum = 0, maximum = minimum + 100 } = schema;
  if (items) return Array.from({ length: 1 + random.int(2) }, () => valuesFor(random, name, items)).flat();
  if (schema.enum) return [String(random.pick(schema.enum))];
  const type = typesOf(schema)[0];
  if (type === 'boolean') return [String(random.int(2) === 0)];
  if (type === 'integer') return [String(minimum + random.int(maximum - minimum + 1))];
  if (schema.format === 'date-time') return [new Date(Date.UTC(2026, 10, 1 + random.int(28))).toISOString()];
  if (schema.format === 'uuid')
    return [random.pick([records[name as keyof OneOfEach] ?? records.planId, records.planId, records.memberId])];
  return [random.pick(['granite', 'one', 'a%_b', 'ü '])];
}

function queryFor(random: SeededRandom, { parameters = [] }: Operation): string {
  const query = new URLSearchParams();
  for (const { name, in: where, required, schema } of parameters) {
    if (where !== 'query' || LEFT_OUT_PARAMETERS.includes(name) || !(required || random.int(5) < 2)) continue;
    for (const value of valuesFor(random, name, schema)) query.append(name, value);
  }
  return query.toString();
}

describe.each(reads.map((operation): [string, Operation] => [operation.operationId, operation]))(
  'generated queries of %s',
  (id, operation) => {
    it('get answers that the document describes', async () => {
      const random = seededRandom(SEED + reads.indexOf(operation));
      for (let nr = 0; nr < REQUESTS_PER_OPERATION; nr += 1) {
        const path = `${fillPath(operation.path, records)}?${queryFor(random, operation)}`;
        const { status, headers, body } = await admin.api.get(path, { accept: 'application/json' });
        const described = operation.responses[status];
        const media = headers.get('content-type')?.split(';')[0] ?? '';
        const unexpected = status >= 500 || described === undefined;
        expect({ path, status, unexpected }).toEqual({ path, status, unexpected: false });
        if (media === 'application/problem+json') expect(schemaFaults(schemaNamed('ProblemView'), body)).toEqual([]);
        const schema = described?.content?.['application/json']?.schema;
        if (media === 'application/json' && schema)
          expect({ id, path, faults: schemaFaults(schema, body) }).toEqual({ id, path, faults: [] });
      }
    });
  },
);
