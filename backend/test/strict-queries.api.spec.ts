import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { type Operation, operations, typesOf } from './support/openapi.js';
import { tableContents } from './support/table-contents.js';

interface ProblemBody {
  errors?: { path: string; code: string }[];
}

const NAMES = ['unknown', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'limit[]', 'Limit'];
const cases = operations.map((operation): [string, Operation] => [operation.operationId, operation]);
const queryOf = (operation: Operation) => (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');

let runward: Installation;
let admin: TestMember;
let records: OneOfEach;
let before: Record<string, string>;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  records = await makeOneOfEach(admin, 'granite');
  before = await tableContents(runward.database);
});
afterAll(() => runward.close());

async function ask(operation: Operation, query: string) {
  const { method, path, body } = operation;
  const demanded = queryOf(operation)
    .filter(({ name, required }) => required && !new URLSearchParams(query).has(name))
    .map(({ name }) => `&${name}=x`)
    .join('');
  const json: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
  const answer = await admin.api.raw<ProblemBody>(
    method,
    `${fillPath(path, records)}?${query}${demanded}`,
    body ? '{}' : undefined,
    json,
  );
  return { query, status: answer.status, paths: answer.body.errors?.map((item) => item.path) };
}

describe.each(cases)('the query of %s', (_, operation) => {
  it('is refused with an unknown parameter of any name', async () => {
    for (const name of NAMES) {
      const query = `${encodeURIComponent(name)}=1`;
      expect(await ask(operation, query)).toEqual({ query, status: 400, paths: [`?${name}`] });
    }
  });

  it('is refused with an invalid number, with NUL, and with a repeated parameter', async () => {
    for (const { name, schema } of queryOf(operation)) {
      const numeric = typesOf(schema).includes('integer');
      const wrong = numeric ? ['abc', '', '1.5', '-1', '0x10', '1e1', '99999999999'] : ['a%00b'];
      const queries = wrong.map((value) => `${name}=${value}`);
      if (!typesOf(schema).includes('array')) queries.push(`${name}=1&${name}=1`);
      for (const query of queries) {
        expect(await ask(operation, query)).toEqual({ query, status: 400, paths: [`?${name}`] });
      }
    }
  });
});

describe('all of these refusals', () => {
  it('changed no row of any table', async () => {
    expect(await tableContents(runward.database)).toEqual(before);
  });

  it('occurred on every list, with its page size and cursor', () => {
    const lists = operations.filter((operation) => queryOf(operation).some(({ name }) => name === 'cursor'));
    expect(lists.length).toBeGreaterThanOrEqual(14);
    for (const list of lists) expect(queryOf(list).map(({ name }) => name)).toContain('limit');
  });
});
