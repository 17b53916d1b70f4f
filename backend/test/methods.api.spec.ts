import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request as httpRequest } from 'node:http';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { openApi } from './support/openapi.js';

/** Every method that a client may think of; the server knows the first ones. */
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

/** `fetch` refuses some of these methods. */
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

/** What `Allow` has to say, by the document alone. */
function allowOf(path: string): string {
  const own = Object.keys(openApi.paths[path] ?? {}).map((method) => method.toUpperCase());
  return [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
}

const paths = Object.keys(openApi.paths);

describe.each(paths)('the path %s', (path) => {
  const takes = allowOf(path).split(', ');

  it('answers a method that it does not take with 405 and those that it takes, to anybody', async () => {
    const bearer = { authorization: `Bearer ${admin.token}` };
    for (const method of METHODS.filter((each) => !takes.includes(each))) {
      for (const headers of [{}, bearer]) {
        const answer = await ask(method, fillPath(path, records), headers);
        expect({ method, status: answer.status, allow: answer.allow }).toEqual({
          method,
          status: 405,
          allow: takes.join(', '),
        });
        // HEAD has no body.
        if (method === 'HEAD') continue;
        expect(answer.type).toMatch(/^application\/problem\+json/);
        expect(JSON.parse(answer.body)).toMatchObject({ status: 405, code: 'method_not_allowed' });
      }
    }
  });

  it('takes every method that it says it takes', async () => {
    // Nobody signed in: what is not 404 or 405 has reached its route, and nothing is done.
    for (const method of takes.filter((each) => each !== 'OPTIONS')) {
      const { status } = await ask(method, fillPath(path, records));
      expect({ method, missing: [404, 405].includes(status) && !path.includes('set-password') }).toEqual({
        method,
        missing: false,
      });
    }
  });

  it('tells by OPTIONS which methods it takes', async () => {
    const { status, allow, body } = await ask('OPTIONS', fillPath(path, records));
    expect({ status, allow, body }).toEqual({ status: 204, allow: takes.join(', '), body: '' });
  });
});

describe.each(paths.filter((path) => allowOf(path).includes('GET')))('HEAD %s', (path) => {
  it('is answered as GET, without the body', async () => {
    const headers = { authorization: `Bearer ${admin.token}` };
    const head = await ask('HEAD', fillPath(path, records), headers);
    expect(head.body).toBe('');
    // A stream has no end to wait for.
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
