import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, type ApiClient, apiClient } from './support/api-client.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { crowdedBodies, HOSTILE_TEXTS, shapelessBodies, withText } from './support/hostile-bodies.js';
import { loopDelaySettings, readLoopDelay } from './support/loop-delay.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { type Operation, operations } from './support/openapi.js';
import { connectRaw, rawHead } from './support/raw-request.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from './support/runward-process.js';
import { type Place, placesIn } from './support/sample-body.js';
import { SERIAL, validBodies } from './support/valid-bodies.js';

interface ProblemBody {
  errors?: { path: string; code: string; message: string }[];
}

/** Codes of refusals after which nothing looks at a body any more. */
const SHAPE = [
  'unknown_field',
  'wrong_type',
  'required',
  'too_long',
  'too_many',
  'invalid_format',
  'field_of_other_type',
];

/** Longest time, in ms, for which one request may keep all others waiting. */
const LONGEST_DELAY = 100;
/**
 * The processor of a busy machine takes longer now and then, by a cache or a garbage collection at the wrong moment.
 * A body that is at fault takes long each time.
 */
const MOST_TRIES = 4;
const MINUTES = 60_000;

let database: TestDatabase;
let folder: string;
let socket: string;
let runward: RunwardProcess;
let admin: ApiClient;
let anonymous: ApiClient;
let records: OneOfEach;
let serial = 0;
let sent = 0;
let longest = { busy: 0, what: '' };

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-hostile-'));
  socket = path.join(folder, 'delay');
  database = await createTestDatabase();
  runward = await startRunwardProcess(database.url, path.join(folder, 'data'), {
    RUNWARD_ROLE: 'api',
    RUNWARD_RATE_LIMIT_PER_MINUTE: '10000000',
    ...loopDelaySettings(socket),
  });
  anonymous = apiClient(runward.url);
  const login = await anonymous.post('/api/auth/login', PROCESS_ADMIN);
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const token = await apiClient(runward.url, { cookie }).post<{ token: string }>('/api/tokens', { name: 'test' });
  admin = apiClient(runward.url, { token: token.body.token });
  records = await makeOneOfEach({ userId: '', tenantId: '', email: '', token: '', api: admin }, 'granite');
});
afterAll(async () => {
  await runward?.end('SIGTERM');
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Sends a body. @throws Error when it holds up the others */
function send(operation: Operation, title: string, text: string, api = admin): Promise<Answer<ProblemBody>> {
  return measured(`${operation.operationId}: ${title}`, () => {
    serial += 1;
    const body = text.replaceAll(SERIAL, String(serial));
    return api.raw(operation.method, fillPath(operation.path, records), body, { 'content-type': 'application/json' });
  });
}

/** Asks, and again when it took long. @throws Error when it took long each time */
async function measured(what: string, ask: () => Promise<Answer<ProblemBody>>): Promise<Answer<ProblemBody>> {
  let answer: Answer<ProblemBody> | undefined;
  let busy = Infinity;
  for (let time = 0; time < MOST_TRIES && busy >= LONGEST_DELAY; time += 1) {
    await readLoopDelay(socket);
    answer = await ask();
    busy = Math.min(busy, (await readLoopDelay(socket)).busy);
  }
  sent += 1;
  if (busy > longest.busy) longest = { busy, what };
  if (busy >= LONGEST_DELAY) throw new Error(`${what} held everybody up for ${Math.round(busy)} ms.`);
  return answer as Answer<ProblemBody>;
}

const withBody = operations.filter((operation) => operation.body);
const limitOf = ({ security }: Operation) => (security?.length === 0 ? 16 : 1024) * 1024;

/** How long a text may be at a place: a refusal of a much too long one says so. */
async function roomAt(operation: Operation, body: object, { steps, pointer }: Place): Promise<number> {
  const tooLong = 'a'.repeat(Math.min(300_000, limitOf(operation) / 2));
  const answer = await send(operation, `a long text in ${pointer}`, withText(body, steps, tooLong, 0));
  const message = answer.body.errors?.find((item) => item.path === pointer)?.message;
  const [, most, unit] = / at most (\d+) (characters|KiB)/.exec(message ?? '') ?? [];
  if (most === undefined) return tooLong.length;
  return unit === 'KiB' ? Number(most) * 1024 : Number(most);
}

describe.each(withBody.map((operation): [string, Operation] => [operation.operationId, operation]))(
  'no body that somebody sends to %s',
  (_, operation) => {
    const limit = limitOf(operation);

    it('is refused for its shape alone before it was made hostile', async () => {
      for (const body of validBodies(operation, records)) {
        const { errors = [] } = (await send(operation, 'a body that fits', JSON.stringify(body))).body ?? {};
        expect(errors.filter(({ code }) => SHAPE.includes(code))).toEqual([]);
      }
    });

    it(
      'holds up the others by what it is, or by how much is in it',
      async () => {
        for (const { title, text } of shapelessBodies(limit)) {
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit + 8);
          await send(operation, title, text);
        }
        for (const body of validBodies(operation, records))
          for (const { title, text } of crowdedBodies(operation.body ?? {}, body, limit))
            await send(operation, title, text);
      },
      5 * MINUTES,
    );

    it(
      'holds up the others by its texts',
      async () => {
        for (const body of validBodies(operation, records)) {
          const texts = placesIn(operation.body ?? {}, body).filter(({ value }) => typeof value === 'string');
          for (const place of texts) {
            const room = await roomAt(operation, body, place);
            for (const { title, of } of HOSTILE_TEXTS)
              await send(operation, `many ${title} in ${place.pointer}`, withText(body, place.steps, of(room), limit));
          }
        }
      },
      5 * MINUTES,
    );

    it('holds up the others when it comes from nobody', async () => {
      const [body = {}] = validBodies(operation, records);
      for (const { title, text } of crowdedBodies(operation.body ?? {}, body, 1024 * 1024).slice(0, 2)) {
        const answer = await send(operation, `${title}, from nobody`, text, anonymous);
        const open = text.length > limit ? 413 : 400;
        expect(answer.status).toBe(operation.security?.length === 0 ? open : 401);
      }
    });
  },
);

/** As much as the head of a request may hold, beside the rest of it. */
const HEAD = 15_000;
const many = (unit: (index: number) => string) =>
  Array.from({ length: HEAD }, (_, index) => unit(index))
    .join('')
    .slice(0, HEAD);

describe('no head of a request', () => {
  const queries: [string, string][] = [
    ['names', many((index) => `n${index}&`)],
    ['values of one name', many(() => 'q=a&')],
    ['values of a list', many(() => 'status=a&')],
    ['empty names', many(() => '&=')],
    ['escapes', `q=${many(() => '%41').slice(0, -3)}`],
    ['conditions', `selector=${many(() => 'a,')}`],
    ['brackets', `selector=${many(() => '(')}`],
  ];

  it('holds up the others by its query, on any route', async () => {
    for (const { operationId, path: template } of operations.filter(({ method }) => method === 'GET')) {
      if (operationId === 'streamExecution') continue;
      for (const [title, query] of queries)
        await measured(`${operationId}: many ${title}`, () => admin.get(`${fillPath(template, records)}?${query}`));
    }
  });

  it('holds up the others by its headers', async () => {
    const headers = {
      authorization: [`Bearer ${many(() => ' ')}x`, many(() => 'Bearer '), `Bearer runward_${many(() => '_')}`],
      cookie: [many(() => 'a=b; '), many(() => ';'), `runward_session=${many(() => 'a')}`, many(() => '"')],
      'idempotency-key': [many(() => 'a')],
      'if-match': [many(() => '"1",'), many(() => 'W/'), many(() => '"')],
      'x-request-id': [many(() => 'a-')],
      'content-type': [many(() => ';'), `application/json${many(() => ' ')}x`],
    };
    for (const [name, values] of Object.entries(headers))
      for (const value of values)
        await measured(`${name}: ${value.slice(0, 20)}`, () =>
          admin.patch(`/api/plans/${records.planId}`, {}, { [name]: value }),
        );
  });
});

/** Many patterns of a plan, each tried on much. */
const patterned = (type: string, pattern: string, value: unknown) =>
  Array.from({ length: 100 }, (_, index) => ({ name: `V${index}`, type, pattern, default: value }));

describe('no plan', () => {
  const texts = 'a'.repeat(9999);
  const items = Array.from({ length: 1000 }, () => 'aaaaaaaaaa');

  it.each([
    ['a text', 'string', '.*', texts],
    ['a text of groups', 'string', '[a-z0-9]+(-[a-z0-9]+)*', texts],
    ['a list', 'list', '(a?){490}', items.slice(0, 90)],
    ['a pattern that repeats nothing', 'string', '((((a{0}){1000}){19}))', 'a'],
  ])('holds up the others by a hundred patterns, each tried on %s', async (title, type, pattern, value) => {
    const variables = patterned(type, pattern, value);
    for (const operation of withBody.filter(({ operationId }) => /^(create|update)Plan$/.test(operationId))) {
      const [body = {}] = validBodies(operation, records);
      const text = JSON.stringify({ ...body, variables });
      expect(text.length).toBeLessThanOrEqual(1024 * 1024);
      await send(operation, `patterns on ${title}`, text);
    }
  });
});

describe('bodies of nobody in particular', () => {
  it('take no memory, however many are sent at once', async () => {
    const peak = async () =>
      Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${runward.pid}/status`, 'utf8'))?.[1]);
    const before = await peak();
    const part = Buffer.alloc(1024 * 1024 - 1, 32);
    const connections = await Promise.all(Array.from({ length: 200 }, () => connectRaw(runward.url)));
    for (const connection of connections) {
      connection.write(rawHead('POST', '/api/plans', { 'Content-Length': part.length + 1 }));
      connection.write(part);
    }
    for (const connection of connections) expect(await connection.statuses(1)).toEqual([401]);
    for (const connection of connections) connection.close();
    // Kept, they would be 200 MiB.
    expect((await peak()) - before).toBeLessThan(80 * 1024);
  });
});

describe('all of these bodies', () => {
  it('were many', () => {
    expect(withBody.length).toBeGreaterThanOrEqual(31);
    expect(sent).toBeGreaterThan(3000);
    expect(longest.what).not.toBe('');
    process.stdout.write(`Longest delay of ${sent} bodies: ${Math.round(longest.busy)} ms (${longest.what})\n`);
  });
});
