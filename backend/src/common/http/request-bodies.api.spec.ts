import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { bodyLimitOf, type Operation, operations } from '../../../test/support/openapi.js';
import { connectRaw, rawHead, type RawConnection } from '../../../test/support/raw-request.js';
import { newId } from '../ids.js';

const MEBIBYTE = 1024 * 1024;
const PUBLIC_LIMIT = 16 * 1024;

let runward: Installation;
let admin: TestMember;
let viewer: TestMember;
const open: RawConnection[] = [];

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  viewer = await runward.member(admin, 'viewer');
});
afterEach(() => {
  for (const connection of open.splice(0)) connection.close();
});
afterAll(() => runward.close());

async function connect(): Promise<RawConnection> {
  const connection = await connectRaw(runward.url);
  open.push(connection);
  return connection;
}

const as = ({ token }: TestMember) => ({ Authorization: `Bearer ${token}` });
const isPublic = ({ security }: Operation) => security?.length === 0;
const pathOf = ({ path }: Operation) => path.replace(/\{\w+\}/g, newId());

async function answerToHead(
  { method, path }: { method: string; path: string },
  headers: Record<string, string | number>,
) {
  const connection = await connect();
  connection.write(rawHead(method, path, headers));
  await connection.end();
  const text = connection.received();
  connection.close();
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), code: /"code":"(\w+)"/.exec(text)?.[1], text };
}

const writing = operations.filter(({ method }) => method !== 'GET');

describe('a writing request whose body has not arrived', () => {
  it.each([
    ['a length that is allowed', { 'Content-Length': 1000 }],
    ['a length that is not', { 'Content-Length': 100 * MEBIBYTE }],
    ['no length', { 'Transfer-Encoding': 'chunked' }],
  ])('gets 401 without authentication, with %s, and the connection ends', async (_, headers) => {
    for (const operation of writing.filter((each) => !isPublic(each))) {
      const answer = await answerToHead({ method: operation.method, path: pathOf(operation) }, headers);
      expect([operation.operationId, answer.status, answer.code]).toEqual([operation.operationId, 401, 'unauthorized']);
      expect(answer.text).toMatch(/\r\nConnection: close\r\n/i);
    }
  });

  it('gets 403 for a viewer without the right, and the connection ends', async () => {
    let refused = 0;
    for (const operation of writing.filter((each) => !isPublic(each))) {
      const path = pathOf(operation);
      const headers = { ...as(viewer), 'Content-Length': 5 * MEBIBYTE };
      const answer = await answerToHead({ method: operation.method, path }, headers);
      expect([403, 413]).toContain(answer.status);
      if (answer.status === 403) refused += 1;
    }
    expect(refused).toBeGreaterThan(20);
  });

  it('gets 413 for an admin when the declared length exceeds the documented limit', async () => {
    for (const operation of writing.filter((each) => !isPublic(each))) {
      const headers = { ...as(admin), 'Content-Length': bodyLimitOf(operation) + 1 };
      const answer = await answerToHead({ method: operation.method, path: pathOf(operation) }, headers);
      expect([operation.operationId, answer.status, answer.code]).toEqual([
        operation.operationId,
        413,
        'body_too_large',
      ]);
    }
  });

  it('gets 413 on a public route when the declared length exceeds 16 KiB', async () => {
    const routes = writing.filter(isPublic);
    expect(routes.length).toBeGreaterThan(1);
    for (const operation of routes) {
      const { operationId, method, path } = operation;
      // Only the route for webhooks of git hosts has a larger limit, which is documented.
      const limit = operationId === 'receiveGitCall' ? bodyLimitOf(operation) : PUBLIC_LIMIT;
      const answer = await answerToHead({ method, path }, { 'Content-Length': limit + 1 });
      expect([operationId, answer.status, answer.code]).toEqual([operationId, 413, 'body_too_large']);
      expect(answer.text).toContain(`at most ${limit} bytes`);
    }
  });

  it('gets 404 for an unknown path', async () => {
    const answer = await answerToHead({ method: 'POST', path: '/api/nothing' }, { 'Content-Length': MEBIBYTE });
    expect(answer.status).toBe(404);
  });
});

describe('a body of undeclared length', () => {
  const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;

  it.each([
    ['16 KiB on a public route', '/api/auth/login', PUBLIC_LIMIT, false],
    ['one MiB elsewhere', '/api/plans', MEBIBYTE, true],
  ])('is refused as soon as it is larger than %s, and the connection ends', async (_, path, limit, signedIn) => {
    const connection = await connect();
    connection.write(rawHead('POST', path, { ...(signedIn ? as(admin) : {}), 'Transfer-Encoding': 'chunked' }));
    connection.write(chunk(limit));
    connection.write(chunk(1));
    expect(await connection.statuses(1)).toEqual([413]);
    await connection.end();
  });

  it('is accepted up to that size', async () => {
    const body = JSON.stringify({ email: 'nobody@example.test', password: 'wrong' });
    const connection = await connect();
    connection.write(rawHead('POST', '/api/auth/login', { 'Transfer-Encoding': 'chunked' }));
    connection.write(`${body.length.toString(16)}\r\n${body}\r\n`);
    connection.write(`${chunk(PUBLIC_LIMIT - body.length)}0\r\n\r\n`);
    expect(await connection.statuses(1)).toEqual([401]);
    expect(connection.received()).toContain('login_failed');
  });
});

describe('the refusal of a body that is still being sent', () => {
  const sent = Buffer.alloc(8 * MEBIBYTE, 32);
  const cases: [string, string, Record<string, string>, number][] = [
    ['401', '/api/plans', {}, 401],
    ['413', '/api/auth/login', {}, 413],
  ];

  it.each(cases)('reaches fetch as %s, every time', async (_, path, headers, status) => {
    for (let time = 0; time < 20; time += 1) {
      const init = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' } };
      const whole = await fetch(runward.url + path, { ...init, body: sent });
      expect([whole.status, ((await whole.json()) as { status: number }).status]).toEqual([status, status]);
      const stream = new Blob([sent]).stream();
      const streamed = await fetch(runward.url + path, { ...init, body: stream, duplex: 'half' });
      expect([streamed.status, ((await streamed.json()) as { status: number }).status]).toEqual([status, status]);
    }
  });

  it('reaches a client that reads only after sending everything, if the excess is small', async () => {
    const connection = await connect();
    connection.write(rawHead('POST', '/api/plans', { 'Content-Length': MEBIBYTE }));
    connection.write(sent.subarray(0, MEBIBYTE));
    expect(await connection.statuses(1)).toEqual([401]);
    await connection.end();
    expect(connection.received()).toContain('"code":"unauthorized"');
  });

  it('is the last response of its connection, even if more requests were sent', async () => {
    const connection = await connect();
    connection.write(rawHead('POST', '/api/plans', { 'Content-Length': 100_000 }));
    expect(await connection.statuses(1)).toEqual([401]);
    connection.write(' '.repeat(100_000) + rawHead('GET', '/api/health/live'));
    await connection.end();
    expect(await connection.statuses(1)).toEqual([401]);
  });
});

describe('a client with Expect: 100-continue', () => {
  const asking = { Expect: '100-continue', 'Content-Length': 2 };

  it('may continue when the body will be read', async () => {
    const connection = await connect();
    connection.write(rawHead('POST', '/api/plans', { ...as(admin), ...asking }));
    expect(await connection.statuses(1)).toEqual([100]);
    connection.write('{}');
    expect(await connection.statuses(2)).toEqual([100, 400]);
  });

  it('is refused at once when the body will not be read', async () => {
    const connection = await connect();
    connection.write(rawHead('POST', '/api/plans', asking));
    expect(await connection.statuses(1)).toEqual([401]);
    await connection.end();
    expect(await connection.statuses(1)).toEqual([401]);
  });
});

describe('a refusal after a complete body', () => {
  it('leaves the connection open for further requests', async () => {
    const connection = await connect();
    const request = `${rawHead('POST', '/api/plans', { 'Content-Length': 2 })}{}`;
    for (let answered = 1; answered <= 3; answered += 1) {
      connection.write(request);
      expect(await connection.statuses(answered)).toEqual(Array.from({ length: answered }, () => 401));
    }
    expect(connection.ended()).toBe(false);
  });
});
