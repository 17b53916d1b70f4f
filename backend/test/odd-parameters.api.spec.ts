import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeCursor } from '../src/common/http/paging/cursor.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { type Operation, operations, requiredQueryOf } from './support/openapi.js';
import { CaseSample } from './support/sampler.js';

const NUMBER_VALUES = [
  '1.5',
  '1e400',
  '1e3',
  '-1',
  '-0',
  '00',
  '9223372036854775808',
  '9007199254740993',
  '2147483648',
];
const WORDS = ['NaN', 'Infinity', 'null', 'true', '{}', '[]', '%', "'", '\\', '*', 'x'.repeat(6000)];
const TIME_VALUES = [
  ...['2026-W01', '2026-02-30', '2026-11-22T24:00:00Z', '2026-12-31T23:59:60Z', '20261122', '2026-11-22'],
  ...['+275760-09-13T00:00:01Z', '0000-01-01T00:00:00Z', '2026-11-22T10:00:00+99:99', '2026-11-22T10:00:00.123456789Z'],
  ...['2026-11-22T10:00:00', '2026-326', '-infinity', 'now', 'today', 'epoch'],
];
const UNICODE_VALUES = ['', ' ', '\t', '\u{1f600}', '\u202e', '\ufeff', '１'];
/** Percent-encoded values, some of which are not valid text. */
const ENCODED_VALUES = ['%00', 'a%00b', '%ED%A0%80', '%ff%fe', '%zz', '%', '%C0%80', '%F4%90%80%80'];
const VALUES = [
  ...[...NUMBER_VALUES, ...WORDS, ...TIME_VALUES, ...UNICODE_VALUES].map(encodeURIComponent),
  ...ENCODED_VALUES,
];

const AT_ONCE = 8;
/** Fewer values for paths, because one rule validates most of them. */
const PATH_VALUES = [
  ...[...NUMBER_VALUES, ...WORDS, '2026-W01', ...UNICODE_VALUES.slice(1)].map(encodeURIComponent),
  ...ENCODED_VALUES,
];
/** Well-formed cursors with values that no row has. */
const CURSOR_VALUES = [
  ...[null, 1.5, -1, 2 ** 31, 2 ** 53, 1e300, -1e300, 0.1, '', 'x', '1', '018f0000-0000-7000-8000-00000000000g'].map(
    (value) => [value],
  ),
  ...[[], [1, 2, 3], [1, 1.5], [1.5, 1], [2 ** 40, 0], [0, 2 ** 40], [0, -5], ['a', 'b'], [null, null]],
].map((values) => encodeCursor(values));

interface Given {
  path: string;
  headers?: Record<string, string>;
}

const portion = new CaseSample();

let runward: Installation;
let admin: TestMember;
let records: OneOfEach;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  records = await makeOneOfEach(admin, 'granite');
});
afterAll(() => runward.close());

/** Sends a request with Node's client, which sends paths unchanged. Closes an event stream once it has begun. */
function ask(
  { method }: Operation,
  { path, headers = {} }: Given,
): Promise<{ status: number; type: string; text: string }> {
  const { hostname, port } = new URL(runward.url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { hostname, port, method, path, headers: { authorization: `Bearer ${admin.token}`, ...headers } },
      (response) => {
        const { statusCode: status = 0 } = response;
        const type = response.headers['content-type'] ?? '';
        if (type.startsWith('text/event-stream')) {
          resolve({ status, type, text: '' });
          response.destroy();
          return;
        }
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => resolve({ status, type, text: Buffer.concat(parts).toString() }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

/** Returns the fault of the response; null = none. A refusal must be a valid problem, and not a server error. */
async function faultOf(operation: Operation, given: Given): Promise<string | null> {
  const { status, type, text } = await ask(operation, given);
  const what = `${operation.method} ${given.path.slice(0, 200)} ${JSON.stringify(given.headers ?? {}).slice(0, 200)}`;
  if (status >= 500 || status === 0) return `${what}: ${status} ${text.slice(0, 200)}`;
  if (status < 400) return null;
  if (!type.startsWith('application/problem+json')) return `${what}: ${status} is of the type ${type}`;
  const problem = JSON.parse(text) as { status?: number; code?: string; detail?: string };
  const sound = problem.status === status && /^[a-z][a-z_]+$/.test(problem.code ?? '') && (problem.detail ?? '') !== '';
  return sound ? null : `${what}: ${text.slice(0, 300)}`;
}

const faultsOf = async (operation: Operation, all: readonly Given[]) => {
  const faults: (string | null)[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE)
    faults.push(...(await Promise.all(all.slice(at, at + AT_ONCE).map((given) => faultOf(operation, given)))));
  return faults.filter((fault) => fault !== null);
};

/** Operations that change nothing. Other operations would delete records that later requests need. */
const reads = operations.filter(({ method }) => method === 'GET');
const named = (list: readonly Operation[]) => list.map((each): [string, Operation] => [each.operationId, each]);
const parametersOf = (operation: Operation, where: 'query' | 'path') =>
  (operation.parameters ?? []).filter((parameter) => parameter.in === where).map(({ name }) => name);

describe.each(named(reads.filter((each) => parametersOf(each, 'query').length > 0)))(
  'the query of %s',
  (_, operation) => {
    it('gives a valid response or problem for any values', async () => {
      const path = fillPath(operation.path, records);
      const given = parametersOf(operation, 'query').flatMap((name) => {
        const values =
          name === 'cursor' || name.endsWith('Cursor') || name === 'after' ? [...VALUES, ...CURSOR_VALUES] : VALUES;
        const queries = [
          ...portion.of(`query ${name}`, values).map((value) => `${name}=${value}`),
          ...[`${name}`, `${name}[]=a`, `${name}[a]=b`, `${name}=a&${name}=b`, `${name}.a=1`],
        ];
        return queries.map((query) => ({ path: `${path}?${query}` }));
      });
      expect(await faultsOf(operation, given)).toEqual([]);
    });
  },
);

describe.each(named(operations.filter((each) => parametersOf(each, 'path').length > 0)))(
  'the path of %s',
  (_, operation) => {
    it('gives a valid problem for any values', async () => {
      const given = parametersOf(operation, 'path').flatMap((name) =>
        portion.of(`path ${name}`, PATH_VALUES).map((value) => ({
          path: fillPath(operation.path, records, { [name]: value }),
        })),
      );
      expect(await faultsOf(operation, given)).toEqual([]);
    });
  },
);

describe.each(named(reads))('the headers of %s', (_, operation) => {
  it('give a valid response or problem for any values', async () => {
    const values = [
      '',
      '-1',
      '1.5',
      '1e400',
      '9223372036854775808',
      '999999999999999',
      '"',
      'W/"',
      '*',
      'x'.repeat(4000),
      'é',
    ];
    const headers = [
      'if-match',
      'if-none-match',
      'last-event-id',
      'idempotency-key',
      'accept',
      'range',
      'x-request-id',
    ];
    const path = fillPath(operation.path, records);
    const given = headers.flatMap((header) =>
      portion.of(`header ${header}`, values).map((value) => ({ path, headers: { [header]: value } })),
    );
    expect(await faultsOf(operation, given)).toEqual([]);
  });
});

describe('a version or idempotency key in the headers of a change', () => {
  it.each(
    named(
      operations.filter(
        ({ method, path }) => (method === 'PATCH' || method === 'POST') && !path.startsWith('/api/auth/'),
      ),
    ),
  )('of %s is accepted or refused with a valid problem for any value', async (_, operation) => {
    const path = fillPath(operation.path, '018f0000-0000-7000-8000-000000000000');
    const values = [
      '',
      '-1',
      '"1.5"',
      '"9223372036854775808"',
      '"99999999999999999999"',
      'W/"1"',
      '""',
      'a'.repeat(4000),
    ];
    const given = ['if-match', 'idempotency-key'].flatMap((header) =>
      values.map((value) => ({ path, headers: { [header]: value } })),
    );
    expect(await faultsOf(operation, given)).toEqual([]);
  });
});

describe('the cursor of a list', () => {
  it('is refused if any of its values is changed to one that no row has', async () => {
    const odd = [null, 1.5, -1, 2 ** 53, 'x\u{1f600}'.repeat(3)];
    let seen = 0;
    for (const operation of reads) {
      const path = fillPath(operation.path, records);
      for (const name of parametersOf(operation, 'query').filter(
        (each) => each === 'cursor' || each === 'hostsCursor' || each === 'after',
      )) {
        if (operation.operationId === 'streamExecution') continue;
        for (const value of odd) {
          const texts = [0, 1, 2, 3].map((length) => encodeCursor(Array.from({ length }, () => value)));
          for (const text of texts) {
            const answer = await ask(operation, {
              path: `${path}?${new URLSearchParams({ ...requiredQueryOf(operation), [name]: text }).toString()}`,
            });
            // A list of variables by name accepts any text in a cursor, because a name can be any text.
            if (answer.status === 200 && typeof value === 'string') continue;
            expect({ path: operation.path, name, value, status: answer.status }).toEqual({
              path: operation.path,
              name,
              value,
              status: 400,
            });
            expect(answer.text).toMatch(/"code":"(invalid_cursor|wrong_type|out_of_range)"/);
            seen += 1;
          }
        }
      }
    }
    expect(seen).toBeGreaterThan(200);
  });
});

describe('a time in a request', () => {
  const bodies = [
    ['createToken', '/api/tokens', (expiresAt: string) => ({ name: 'odd', expiresAt }), '/expiresAt'],
  ] as const;
  it.each(bodies)('of %s must be RFC 3339 with a time zone', async (_, path, body, field) => {
    for (const time of TIME_VALUES) {
      const answer = await admin.api.post<{ errors: { path: string; code: string }[] }>(path, body(time));
      expect({ time, status: answer.status }).toEqual({ time, status: 400 });
      expect(answer.body.errors[0]).toMatchObject({ path: field, code: 'invalid_format' });
    }
    expect((await admin.api.post(path, body('9999-12-31T23:59:59.999999+00:00'))).status).toBe(201);
  });
});
