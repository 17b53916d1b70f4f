import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { made, makeScene } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';

interface Scope {
  access: string;
  environmentIds?: string[];
  planIds?: string[];
}
interface CreatedToken {
  id: string;
  token: string;
  code: string;
  scope: Scope | null;
  errors: { path: string; code: string }[];
}

let runward: Installation;
let admin: TestMember;
let staging: Awaited<ReturnType<typeof makeScene>>;
let production: Awaited<ReturnType<typeof makeScene>>;
let anywhereId: string;
let numbered = 0;

const STEPS = [{ key: 'one', command: 'true' }];

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  staging = await makeScene(admin.api, { name: 'staging', hostname: 'staging.invalid' });
  production = await makeScene(admin.api, { name: 'production', hostname: 'production.invalid' });
  anywhereId = await made(admin.api.post('/api/plans', { name: 'anywhere', steps: STEPS }));
});
afterAll(() => runward.close());

async function makeScopedToken(scope: Scope, by: ApiClient = admin.api) {
  numbered += 1;
  const { status, body } = await by.post<CreatedToken>('/api/tokens', { name: `narrowed ${numbered}`, scope });
  expect({ status, errors: body.errors }).toEqual({ status: 201, errors: undefined });
  return { ...body, api: apiClient(runward.url, { token: body.token }) };
}
const start = (api: ApiClient, planId: string, more: object = {}, headers = {}) =>
  api.post<CreatedToken>('/api/executions', { planId, execution_mode: 'auto', ...more }, headers);
const cancel = (id: string) => admin.api.post(`/api/executions/${id}/cancel`, {});

describe('a limited token', () => {
  it('reports its limits to its holder and in lists', async () => {
    const scope = { access: 'run', environmentIds: [staging.environmentId] };
    const { id, api } = await makeScopedToken(scope);
    const expectedScope = { access: 'run', environmentIds: [staging.environmentId] };
    expect((await api.get('/api/auth/me')).body).toMatchObject({
      machine: false,
      token: { id, scope: expectedScope },
      grants: [],
    });
    expect((await admin.api.get(`/api/tokens/${id}`)).body).toMatchObject({ scope: expectedScope, exchanged: false });
    const whole = await admin.api.post<CreatedToken>('/api/tokens', { name: 'whole', scope: { access: 'all' } });
    expect(whole.body.scope).toBeNull();
  });

  it('is refused with a scope that is empty or too large, or has a duplicate or unknown record', async () => {
    const refused: [object, string, string][] = [
      [{ access: 'write' }, '/scope/access', 'not_allowed_value'],
      [{}, '/scope/access', 'required'],
      [{ access: 'read', environmentIds: [] }, '/scope/environmentIds', 'too_few'],
      [{ access: 'read', planIds: [anywhereId, anywhereId] }, '/scope/planIds', 'duplicate_item'],
      [
        { access: 'read', planIds: Array.from({ length: 101 }, (_, index) => String(index)) },
        '/scope/planIds',
        'too_many',
      ],
      [{ access: 'read', planIds: anywhereId }, '/scope/planIds', 'wrong_type'],
      [{ access: 'read', planIds: [staging.environmentId] }, '/scope/planIds/0', 'not_found'],
    ];
    for (const [scope, path, code] of refused) {
      const { body } = await admin.api.post<CreatedToken>('/api/tokens', { name: 'odd', scope });
      expect([scope, body.errors]).toEqual([scope, expect.arrayContaining([expect.objectContaining({ path, code })])]);
    }
  });

  it('creates tokens that are equally or more limited, and sees no other tokens', async () => {
    const parent = await makeScopedToken({ access: 'all', environmentIds: [staging.environmentId] });
    const childToken = await parent.api.post<CreatedToken>('/api/tokens', { name: 'heir' });
    expect(childToken.body.scope).toEqual({ access: 'all', environmentIds: [staging.environmentId] });
    const child = await makeScopedToken({ access: 'read', planIds: [staging.planId] }, parent.api);
    expect(child.scope).toEqual({
      ...{ access: 'read', environmentIds: [staging.environmentId], planIds: [staging.planId] },
    });
    const list = await parent.api.get<{ items: CreatedToken[] }>('/api/tokens?limit=200');
    expect(list.body.items.map(({ id }) => id).sort()).toEqual([parent.id, childToken.body.id, child.id].sort());
    expect((await child.api.get<{ items: CreatedToken[] }>('/api/tokens')).body.items).toMatchObject([
      { id: child.id },
    ]);
    expect((await child.api.get(`/api/tokens/${parent.id}`)).status).toBe(404);
    expect((await parent.api.get(`/api/tokens?userId=${staging.planId}`)).status).toBe(403);
    const other = await makeScopedToken({ access: 'read' });
    expect((await parent.api.delete(`/api/tokens/${other.id}`)).status).toBe(404);
  });

  it('for plans reaches only their environments, and the named ones for plans without an environment', async () => {
    const ids = async (api: ApiClient, path: string) =>
      (await api.get<{ items: CreatedToken[] }>(path)).body.items.map(({ id }) => id);
    const boundToken = await makeScopedToken({ access: 'all', planIds: [staging.planId] });
    expect(boundToken.scope).toEqual({
      ...{ access: 'all', environmentIds: [staging.environmentId], planIds: [staging.planId] },
    });
    expect(await ids(boundToken.api, '/api/environments')).toEqual([staging.environmentId]);
    const accountId = await made(admin.api.post('/api/service-accounts', { name: 'of plans', role: 'operator' }));
    const rule = {
      ...{ name: 'of plans', issuer: 'https://issuer.example.com', audience: 'here', userId: accountId },
      subject: 'repo:acme/shop:ref:refs/heads/main',
    };
    const unboundScope = { planIds: [staging.planId, anywhereId] };
    const tries: [string, object, string][] = [
      ['/api/tokens', { name: 'unbound', scope: { access: 'run', ...unboundScope } }, '/scope'],
      [
        `/api/service-accounts/${accountId}/tokens`,
        { name: 'unbound', scope: { access: 'run', ...unboundScope } },
        '/scope',
      ],
      ['/api/oidc-trust-rules', { ...rule, ...unboundScope }, ''],
    ];
    for (const [path, body, at] of tries) {
      const { status, body: expectedScope } = await admin.api.post<CreatedToken>(path, body);
      const message = expect.stringContaining('"anywhere" is bound to no environment');
      expect([path, status, expectedScope.errors]).toEqual([
        ...[path, 400, [{ path: `${at}/environmentIds`, code: 'environments_required', message }]],
      ]);
    }
    const scopeOutside = { access: 'run', environmentIds: [production.environmentId], planIds: [staging.planId] };
    const refused = await admin.api.post<CreatedToken>('/api/tokens', { name: 'outside', scope: scopeOutside });
    expect(refused.body.errors).toMatchObject([{ path: '/scope/planIds/0', code: 'outside_environments' }]);
    const { api } = await makeScopedToken({
      access: 'run',
      planIds: [anywhereId],
      environmentIds: [staging.environmentId],
    });
    expect(await ids(api, '/api/environments')).toEqual([staging.environmentId]);
    const targets = (environmentId: string) => api.post(`/api/plans/${anywhereId}/targets`, { environmentId });
    const [seen, secretPart] = [await targets(staging.environmentId), await targets(production.environmentId)];
    expect([seen.status, secretPart.status]).toEqual([200, 404]);
    expect((await start(api, anywhereId, { environmentId: production.environmentId })).status).toBe(404);
    // A child token without environments inherits those of the token that creates it.
    const parent = await makeScopedToken({ access: 'all', environmentIds: [staging.environmentId] });
    const child = await makeScopedToken({ access: 'run', planIds: [anywhereId] }, parent.api);
    expect(child.scope?.environmentIds).toEqual([staging.environmentId]);

    const saved = await admin.api.post<CreatedToken & Scope>('/api/oidc-trust-rules', {
      ...rule,
      planIds: [staging.planId],
    });
    expect(saved.body.environmentIds).toEqual([staging.environmentId]);
    const change = (body: object) =>
      admin.api.patch<CreatedToken & Scope>(`/api/oidc-trust-rules/${saved.body.id}`, { userId: accountId, ...body });
    expect((await change({ planIds: [production.planId] })).body.errors).toMatchObject([
      { path: '/planIds/0', code: 'outside_environments' },
    ]);
    const moved = await change({ planIds: [production.planId], environmentIds: null });
    expect(moved.body.environmentIds).toEqual([production.environmentId]);
    expect((await change({ planIds: [anywhereId], environmentIds: null })).body.errors).toMatchObject([
      { path: '/environmentIds', code: 'environments_required' },
    ]);
    await admin.api.delete(`/api/oidc-trust-rules/${saved.body.id}`);
    await admin.api.delete(`/api/service-accounts/${accountId}`);
  });

  it('for a plan that is bound elsewhere later, or to none, reaches no further than before', async () => {
    const planId = await made(
      admin.api.post('/api/plans', { name: 'moves', environmentId: staging.environmentId, steps: STEPS }),
    );
    const { api } = await makeScopedToken({ access: 'run', planIds: [planId] });
    const bindPlan = (environmentId: string | null) => admin.api.patch(`/api/plans/${planId}`, { environmentId });
    expect((await bindPlan(production.environmentId)).status).toBe(200);
    expect([(await api.get(`/api/plans/${planId}`)).status, (await start(api, planId)).status]).toEqual([404, 404]);
    expect((await bindPlan(null)).status).toBe(200);
    expect((await start(api, planId, { environmentId: production.environmentId })).status).toBe(404);
    const run = await start(api, planId, { environmentId: staging.environmentId });
    expect(run.status).toBe(201);
    await cancel(run.body.id);
  });

  it('for runs starts, follows and cancels them, and neither approves nor overrides a freeze', async () => {
    const { api } = await makeScopedToken({ access: 'run', environmentIds: [staging.environmentId] });
    const run = await start(api, anywhereId, { environmentId: staging.environmentId });
    expect(run.status).toBe(201);
    expect((await api.get(`/api/executions/${run.body.id}`)).status).toBe(200);
    expect((await api.post(`/api/executions/${run.body.id}/cancel`, {})).status).toBe(200);
    const scopeOutside = await start(api, anywhereId, { environmentId: production.environmentId });
    expect(scopeOutside.body).toMatchObject({ code: 'not_found', errors: [{ path: '/environmentId' }] });
    const approve = await api.post<CreatedToken>(`/api/executions/${run.body.id}/approve`, { digest: 'a'.repeat(64) });
    expect([approve.status, approve.body.code]).toEqual([403, 'insufficient_scope']);
    const override = await start(api, staging.planId, { freezeOverride: 'now' });
    expect([override.status, override.body.code]).toEqual([403, 'insufficient_scope']);
  });

  it('for environments changes no plan that also runs elsewhere', async () => {
    const { api } = await makeScopedToken({ access: 'all', environmentIds: [staging.environmentId] });
    const tries = [
      await api.patch<CreatedToken>(`/api/plans/${anywhereId}`, { description: 'mine' }),
      await api.delete<CreatedToken>(`/api/plans/${anywhereId}`),
      await api.patch<CreatedToken>(`/api/plans/${staging.planId}`, { environmentId: null }),
      await api.post<CreatedToken>('/api/plans', { name: 'new', steps: STEPS }),
      await api.post<CreatedToken>('/api/plans/import', {
        content: 'name: anywhere\nsteps: [{key: a, command: "false"}]\n',
      }),
    ];
    expect(tries.map(({ status, body }) => [status, body.code])).toEqual(tries.map(() => [409, 'outside_scope']));
    expect((await api.patch(`/api/plans/${staging.planId}`, { description: 'mine' })).status).toBe(200);
    const named = await api.post<{ id: string }>('/api/plans', {
      ...{ name: 'new', environmentId: staging.environmentId, steps: STEPS },
    });
    expect(named.status).toBe(201);
  });

  it('for plans runs the plans that they call, and sees the runs of no other plan', async () => {
    const caller = {
      name: 'caller',
      environmentId: staging.environmentId,
      steps: [{ key: 'call', type: 'plan', planId: staging.planId }],
    };
    const callerId = await made(admin.api.post('/api/plans', caller));
    const other = await start(admin.api, production.planId);
    const { api } = await makeScopedToken({ access: 'run', planIds: [callerId] });
    const run = await start(api, callerId);
    expect(run.status).toBe(201);
    expect((await start(api, staging.planId)).status).toBe(404);
    const list = await api.get<{ items: CreatedToken[] }>('/api/executions');
    expect(list.body.items.map(({ id }) => id)).toEqual([run.body.id]);
    expect(
      (await api.get<{ items: CreatedToken[] }>(`/api/executions?planId=${production.planId}`)).body.items,
    ).toEqual([]);
    expect((await api.get(`/api/executions/${other.body.id}`)).status).toBe(404);
    await cancel(run.body.id);
    await cancel(other.body.id);
  });

  it('does not get the response of a wider token by its idempotency key', async () => {
    const key = { 'idempotency-key': 'shared-by-tokens' };
    const unscopedStart = await start(admin.api, production.planId, {}, key);
    expect(unscopedStart.status).toBe(201);
    const { api } = await makeScopedToken({ access: 'run', environmentIds: [staging.environmentId] });
    const refused = await start(api, production.planId, {}, key);
    expect([refused.status, refused.body.code]).toEqual([422, 'idempotency_key_reused']);
    const twinToken = await makeScopedToken({ access: 'run', environmentIds: [staging.environmentId] });
    const own = { 'idempotency-key': 'shared-by-twins' };
    const first = await start(api, staging.planId, {}, own);
    const again = await start(twinToken.api, staging.planId, {}, own);
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    await cancel(unscopedStart.body.id);
    await cancel(first.body.id);
  });
});

describe('a service account', () => {
  const account = (name: string, role: string) =>
    made(admin.api.post('/api/service-accounts', { name, role, description: 'for tests' }));
  const tokenOf = async (id: string, scope?: Scope) => {
    numbered += 1;
    const body = { name: `token ${numbered}`, scope };
    const answer = await admin.api.post<CreatedToken>(`/api/service-accounts/${id}/tokens`, body);
    expect(answer.status).toBe(201);
    return { ...answer.body, api: apiClient(runward.url, { token: answer.body.token }) };
  };

  it('acts by tokens that admins create for it, and is a member who never signs in', async () => {
    const id = await account('pipeline', 'operator');
    const { api, id: tokenId } = await tokenOf(id);
    expect((await api.get('/api/auth/me')).body).toMatchObject({
      id,
      name: 'pipeline',
      role: 'operator',
      machine: true,
    });
    const run = await start(api, staging.planId);
    expect(run.body).toMatchObject({ startedBy: { id, name: 'pipeline' }, startedVia: 'token' });
    await cancel(run.body.id);
    const listed = await admin.api.get<{ items: object[] }>('/api/members?kind=service_account');
    expect(listed.body.items).toMatchObject([{ id, name: 'pipeline', kind: 'service_account' }]);
    const people = await admin.api.get<{ items: object[] }>('/api/members?kind=person');
    expect(people.body.items).toMatchObject([{ id: admin.userId, kind: 'person' }]);
    expect((await admin.api.get(`/api/tokens?userId=${id}`)).body).toMatchObject({ items: [{ id: tokenId }] });
    for (const [method, path, body] of [
      ['PATCH', `/api/members/${id}`, { role: 'admin' }],
      ['DELETE', `/api/members/${id}`, undefined],
      ['POST', `/api/members/${id}/password-link`, undefined],
    ] as const) {
      const answer = await admin.api.raw<CreatedToken>(method, path, body && JSON.stringify(body), {
        ...(body ? { 'content-type': 'application/json' } : {}),
      });
      expect([method, answer.status, answer.body.code]).toEqual([method, 409, 'service_account']);
    }
    const member = await admin.api.get<{ email: string }>(`/api/members/${id}`);
    const login = { email: member.body.email, password: 'correct horse battery staple' };
    expect((await runward.anonymous.post('/api/auth/login', login)).status).toBe(401);
    expect((await admin.api.post(`/api/service-accounts/${admin.userId}/tokens`, { name: 'x' })).status).toBe(404);
    expect((await admin.api.patch(`/api/service-accounts/${admin.userId}`, { role: 'viewer' })).status).toBe(404);
  });

  it('has a unique name, changes its role immediately, and can be disabled and enabled', async () => {
    const id = await account('second', 'operator');
    const twinToken = await admin.api.post<CreatedToken>('/api/service-accounts', { name: 'SECOND', role: 'viewer' });
    expect([twinToken.status, twinToken.body.code]).toEqual([409, 'duplicate_name']);
    const { api } = await tokenOf(id);
    const path = `/api/service-accounts/${id}`;
    await admin.api.patch(path, { role: 'viewer' });
    expect((await start(api, staging.planId)).status).toBe(403);
    await admin.api.patch(path, { disabled: true });
    expect((await api.get('/api/auth/me')).status).toBe(401);
    await admin.api.patch(path, { disabled: false });
    expect((await api.get('/api/auth/me')).status).toBe(200);
    expect((await admin.api.delete(path)).status).toBe(200);
    expect((await api.get('/api/auth/me')).status).toBe(401);
    const left = await runward.database.query(`select 1 from auth_directory where kind = 'token' and record_id not in
      (select id from api_tokens)`);
    expect(left).toEqual([]);
  });

  it('does not count as the last admin', async () => {
    await account('chief', 'admin');
    const answer = await admin.api.patch<CreatedToken>(`/api/members/${admin.userId}`, { role: 'viewer' });
    expect([answer.status, answer.body.code]).toEqual([409, 'last_admin']);
  });

  it('can’t approve, neither as an admin nor by a grant, and no run names it as an approver', async () => {
    const guarded = await makeScene(admin.api, {
      name: 'guarded',
      hostname: 'guarded.invalid',
      environment: { protected: true },
    });
    const adminToken = await tokenOf(await account('boss', 'admin'));
    const clerkId = await account('clerk', 'viewer');
    const grants = `/api/environments/${guarded.environmentId}/grants/${clerkId}`;
    const grant = await admin.api.put<CreatedToken>(grants, { level: 'approve' });
    expect([grant.status, grant.body.code]).toEqual([409, 'service_account']);
    expect((await admin.api.put(grants, { level: 'run' })).body).toMatchObject({ user: { kind: 'service_account' } });
    const run = await start(admin.api, guarded.planId);
    const path = `/api/executions/${run.body.id}`;
    const seen = await adminToken.api.get<{ digest: string; approval: object; awaitsCaller: boolean }>(path);
    expect(seen.body).toMatchObject({ status: 'PAUSED', approval: { currentUserCanDecide: false } });
    expect((await adminToken.api.get<{ items: object[] }>('/api/executions?awaiting=me')).body.items).toEqual([]);
    for (const what of ['approve', 'reject']) {
      const body = what === 'approve' ? { digest: seen.body.digest } : { comment: 'no' };
      const answer = await adminToken.api.post<CreatedToken>(`${path}/${what}`, body);
      expect([what, answer.status, answer.body.code]).toEqual([what, 403, 'person_required']);
    }
    const dry = await start(admin.api, guarded.planId, { execution_mode: 'dry_run' });
    expect(dry.text).not.toContain('boss');
    await cancel(run.body.id);
  });
});
