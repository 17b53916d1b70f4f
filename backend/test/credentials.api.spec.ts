import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mintSessionSecret, mintToken } from '../src/common/crypto/api-token.js';
import { apiClient } from './support/api-client.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from './support/installation.js';
import { fillPath } from './support/one-of-each.js';
import { type Operation, operations } from './support/openapi.js';
import { queryAs } from './support/table-contents.js';
import { newId } from '../src/common/ids.js';

type Headers = Record<string, string>;

const cases = operations.map((operation): [string, Operation] => [operation.operationId, operation]);
const isPublic = ({ security }: Operation) => security?.length === 0;

const VARYING_HEADERS = ['date', 'x-request-id', 'content-length'];

let runward: Installation;
let viewer: TestMember;
let session: string;
/** Request headers with invalid credentials, by reason. */
let invalid: Record<string, Headers>;
let valid: Record<string, Headers>;

const cookieHeader = (secret: string): Headers => ({ cookie: `runward_session=${secret}` });
const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

async function signIn(): Promise<string> {
  const login = await runward.anonymous.post('/api/auth/login', { email: viewer.email, password: PASSWORD });
  return /runward_session=([^;]+)/.exec(login.headers.get('set-cookie') ?? '')?.[1] ?? '';
}

async function makeToken(): Promise<{ id: string; token: string }> {
  const made = await viewer.api.post<{ id: string; token: string }>('/api/tokens', { name: newId() });
  expect(made.status).toBe(201);
  return made.body;
}

beforeAll(async () => {
  runward = await startInstallation();
  const admin = await runward.tenant('acme');
  viewer = await runward.member(admin, 'viewer');
  session = await signIn();
  const [expired, revoked, endedSession, expiredSession] = [
    await makeToken(),
    await makeToken(),
    await signIn(),
    await signIn(),
  ];
  await queryAs(runward.database, admin.tenantId, 'update api_tokens set expires_at = now() where id = $1', [
    expired.id,
  ]);
  expect((await viewer.api.delete(`/api/tokens/${revoked.id}`)).status).toBe(200);
  expect((await apiClient(runward.url, cookieHeader(endedSession)).post('/api/auth/logout')).status).toBe(204);
  await queryAs(
    runward.database,
    admin.tenantId,
    `update sessions set expires_at = now() where id = (select max(id::text)::uuid from sessions where user_id = $1)`,
    [viewer.userId],
  );
  const disabled = await runward.member(admin, 'viewer');
  await admin.api.patch(`/api/members/${disabled.userId}`, { disabled: true });
  const { token } = viewer;
  invalid = {
    none: {},
    'a token that was never made': bearer(mintToken().token),
    'a token with a wrong checksum': bearer(`${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`),
    'an expired token': bearer(expired.token),
    'a revoked token': bearer(revoked.token),
    "a disabled member's token": bearer(disabled.token),
    'an empty header': { authorization: '' },
    'the scheme alone': { authorization: 'Bearer' },
    'a token without a scheme': { authorization: token },
    'a token of another scheme': { authorization: `Basic ${token}` },
    'two tokens': { authorization: `Bearer ${token} ${token}` },
    'a session as a token': bearer(session),
    'a token as a session': cookieHeader(token),
    'a session that was never opened': cookieHeader(mintSessionSecret().secret),
    'an empty cookie': cookieHeader(''),
    'an odd cookie': cookieHeader('%00'),
    'a session that was ended': cookieHeader(endedSession),
    'an expired session': cookieHeader(expiredSession),
    'a dead token beside a live session': { ...bearer(revoked.token), ...cookieHeader(session) },
    'another scheme beside a live session': { authorization: 'Basic eDp5', ...cookieHeader(session) },
    'an empty header beside a live session': { authorization: '', ...cookieHeader(session) },
    'a token in a field of passport': { 'x-access-token': token, access_token: token },
  };
  valid = {
    token: bearer(token),
    'token, the scheme in other letters': { authorization: `bEARER   ${token} ` },
    session: cookieHeader(session),
    'session among other cookies': { cookie: `a=b; runward_session=${session}; c=d` },
    'token beside a dead session': { ...bearer(token), ...cookieHeader(endedSession) },
  };
});
afterAll(() => runward.close());

async function ask({ method, path }: Operation, headers: Headers) {
  const body = method === 'GET' ? undefined : '{"unknown":1}';
  const query = 'unknown=1&access_token=x&token=y';
  const answer = await runward.anonymous.raw<{ requestId: string }>(
    method,
    `${fillPath(path, newId())}?${query}`,
    body,
    {
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
  );
  const { requestId } = answer.body;
  return {
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !VARYING_HEADERS.includes(name))),
    body: answer.text.replace(requestId, ''),
  };
}

/** Removes the header with the remaining quota, which decreases with each response. */
const withoutQuota = ({ headers, ...rest }: Awaited<ReturnType<typeof ask>>) => {
  const { ratelimit, ...others } = headers;
  return { ...rest, headers: others, counted: ratelimit !== undefined };
};

describe.each(cases)('%s', (_, operation) => {
  if (isPublic(operation)) {
    it('gives the same response to every credential, valid or invalid', async () => {
      const expected = withoutQuota(await ask(operation, {}));
      expect(expected.status).toBe(400);
      for (const [what, headers] of Object.entries({ ...invalid, ...valid }))
        expect({ what, ...withoutQuota(await ask(operation, headers)) }).toEqual({ what, ...expected });
    });
    return;
  }

  it('answers every invalid credential with the same 401, byte for byte', async () => {
    for (const [what, headers] of Object.entries(invalid)) {
      expect({ what, ...(await ask(operation, headers)) }).toEqual({
        what,
        status: 401,
        headers: expect.objectContaining({
          'content-type': 'application/problem+json; charset=utf-8',
          'www-authenticate': 'Bearer realm="runward"',
        }),
        body: '{"type":"/api/docs/problems#unauthorized","title":"Unauthorized","status":401,"code":"unauthorized","detail":"Sign in, or send a valid API token as bearer token.","requestId":""}',
      });
    }
  });

  it('gives the same response to a token and a session of one member', async () => {
    const expected = withoutQuota(await ask(operation, valid.token as Headers));
    expect([400, 403]).toContain(expected.status);
    for (const [what, headers] of Object.entries(valid))
      expect({ what, ...withoutQuota(await ask(operation, headers)) }).toEqual({ what, ...expected });
  });
});
