import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient } from '../../test/support/api-client.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { newId } from '../common/ids.js';

let runward: Installation;
let admin: TestMember;
let viewer: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  viewer = await runward.member(admin, 'viewer');
});
afterAll(() => runward.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const BAD: [string, string, Record<string, string>, number][] = [
  ['malformed JSON', '{"name":', JSON_TYPE, 400],
  ['a field that is not known', '{"name":"a","unknown":1}', JSON_TYPE, 400],
  ['a field that every object inherits', '{"__proto__":{}}', JSON_TYPE, 400],
  ['NUL in a text', '{"name":"\\u0000"}', JSON_TYPE, 400],
  ['a body that is too large', `{"name":"${'x'.repeat(1024 * 1024)}"}`, JSON_TYPE, 413],
  ['a form', 'name=a', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
];

const send = (api: ApiClient, method: string, path: string, body: string, headers: Record<string, string>) =>
  api.raw<{ code: string; status: number }>(method, path, body, headers);

describe.each(BAD)('with %s', (_, body, headers, status) => {
  const routes: [string, string][] = [
    ['POST', '/api/environments'],
    ['PATCH', `/api/environments/${newId()}`],
    ['PATCH', '/api/plans/malformed'],
  ];

  it('answers an unauthenticated request with 401 and the accepted scheme', async () => {
    for (const [method, path] of routes) {
      const answer = await send(runward.anonymous, method, path, body, headers);
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="runward"');
    }
  });

  it('answers 403 to a viewer', async () => {
    for (const [method, path] of routes) {
      const answer = await send(viewer.api, method, path, body, headers);
      expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_role']);
    }
  });

  it(`answers ${status} to an operator, before the record is looked up`, async () => {
    for (const [method, path] of routes) {
      expect((await send(admin.api, method, path, body, headers)).status).toBe(status);
    }
  });
});

describe('with a valid body', () => {
  it('answers 404 after 401 and 403, and before any version error', async () => {
    const path = `/api/environments/${newId()}`;
    const staleHeaders = { 'if-match': '"7"' };
    expect((await runward.anonymous.patch(path, { name: 'a' }, staleHeaders)).status).toBe(401);
    expect((await viewer.api.patch(path, { name: 'a' }, staleHeaders)).status).toBe(403);
    expect((await admin.api.patch(path, { name: 'a' }, staleHeaders)).status).toBe(404);
  });

  it('answers 401 as a problem that names its request', async () => {
    const answer = await runward.anonymous.get<object>('/api/plans', { 'x-request-id': 'build-7.1_a' });
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.headers.get('x-request-id')).toBe('build-7.1_a');
    expect(answer.body).toEqual({
      type: '/api/docs/problems#unauthorized',
      title: 'Unauthorized',
      status: 401,
      code: 'unauthorized',
      detail: expect.any(String),
      requestId: 'build-7.1_a',
    });
  });
});
