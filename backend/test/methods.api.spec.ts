import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request as httpRequest } from 'node:http';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { openApi } from './support/openapi.js';

/** Methods that a client may send. The server supports only the first ones. */
const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY'];

let runward: Installation;
let admin: TestMember;
let records: OneOfEach;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  records = await makeOneOfEach(admin, 'granite');
});
afterAll(() => runward.close());

interface Raw {
  status: number;
  allow: string | undefined;
  type: string | undefined;
  body: string;
}

/** Sends a request without `fetch`, which refuses some of these methods. */
function ask(method: string, path: string, headers: Record<string, string> = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(`${runward.url}${path}`, { method, headers, timeout: 10_000 }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          allow: answer.headers.allow,
          type: answer.headers['content-type'],
          body: Buffer.concat(parts).toString(),
        }),
      );
    });
    call.on('timeout', () => call.destroy(new Error(`${method} ${path} does not end.`)));
    call.on('error', reject);
    call.end();
  });
}

/** Returns the expected `Allow` header, from the OpenAPI document alone. */
function allowOf(path: string): string {
  const own = Object.keys(openApi.paths[path] ?? {}).map((method) => method.toUpperCase());
  return [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
}

const paths = Object.keys(openApi.paths);

describe.each(paths)('the path %s', (path) => {
  const takes = allowOf(path).split(', ');

  it('answers an unsupported method with 405 and the supported ones, without credentials', async () => {
    const bearer = { authorization: `Bearer ${admin.token}` };
    for (const method of METHODS.filter((each) => !takes.includes(each))) {
      for (const headers of [{}, bearer]) {
        const answer = await ask(method, fillPath(path, records), headers);
        expect({ method, status: answer.status, allow: answer.allow }).toEqual({
          method,
          status: 405,
          allow: takes.join(', '),
        });
        // A response to HEAD has no body.
        if (method === 'HEAD') continue;
        expect(answer.type).toMatch(/^application\/problem\+json/);
        expect(JSON.parse(answer.body)).toMatchObject({ status: 405, code: 'method_not_allowed' });
      }
    }
  });

  it('supports every method that it lists', async () => {
    // The request has no credentials, so it changes nothing. A status other than 404 or 405 proves that it reached the
    // route.
    for (const method of takes.filter((each) => each !== 'OPTIONS')) {
      const { status } = await ask(method, fillPath(path, records));
      expect({ method, missing: [404, 405].includes(status) && !path.includes('set-password') }).toEqual({
        method,
        missing: false,
      });
    }
  });

  it('lists its methods in the response to OPTIONS', async () => {
    const { status, allow, body } = await ask('OPTIONS', fillPath(path, records));
    expect({ status, allow, body }).toEqual({ status: 204, allow: takes.join(', '), body: '' });
  });
});

describe.each(paths.filter((path) => allowOf(path).includes('GET')))('HEAD %s', (path) => {
  it('is answered like GET, without the body', async () => {
    const headers = { authorization: `Bearer ${admin.token}` };
    const head = await ask('HEAD', fillPath(path, records), headers);
    expect(head.body).toBe('');
    // Does not read the body of a stream, because it does not end.
    const got = path.endsWith('/stream')
      ? { status: 200, type: 'text/event-stream; charset=utf-8' }
      : await ask('GET', fillPath(path, records), headers);
    expect([head.status, head.type]).toEqual([got.status, got.type]);
  });
});

describe('a path that does not exist', () => {
  it.each(METHODS)('is 404 for %s', async (method) => {
    for (const path of ['/api/nowhere', '/api/plans/a/b/c/d', '/api/plans/%', '/api']) {
      const { status, allow } = await ask(method, path);
      expect({ path, found: status < 400 || status === 405, allow }).toEqual({ path, found: false, allow: undefined });
    }
  });
});
