import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient } from '../../test/support/api-client.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../test/support/installation.js';
import { queryAs } from '../../test/support/table-contents.js';
import type { MeView } from './auth.view.js';
import type { TokenView } from './tokens/tokens.view.js';

let runward: Installation;
let admin: TestMember;
let viewer: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  viewer = await runward.member(admin, 'viewer');
});
afterAll(() => runward.close());

const me = async ({ api }: Pick<TestMember, 'api'>) => (await api.get<MeView>('/api/auth/me')).body;

async function grant(name: string, level: string): Promise<string> {
  const made = await admin.api.post<{ id: string }>('/api/environments', { name, access: 'restricted' });
  await admin.api.put(`/api/environments/${made.body.id}/grants/${viewer.userId}`, { level });
  return made.body.id;
}

describe('the current user', () => {
  it('includes the token of the request and its expiry', async () => {
    const expiresAt = '2099-01-01T00:00:00.000Z';
    const made = await admin.api.post<TokenView & { token: string }>('/api/tokens', { name: 'short', expiresAt });
    const { id, prefix, token } = made.body;
    const { via, token: tokenView, session } = await me({ api: apiClient(runward.url, { token }) });
    expect({ via, shown: tokenView, session }).toEqual({
      via: 'token',
      shown: { id, name: 'short', prefix, expiresAt, scope: null },
      session: null,
    });
    expect((await me(admin)).token).toMatchObject({ name: 'test', expiresAt: null });
  });

  it('includes the expiry of the session, at sign-in and later', async () => {
    const login = await runward.anonymous.post<MeView>('/api/auth/login', { email: viewer.email, password: PASSWORD });
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const later = await me({ api: apiClient(runward.url, { cookie }) });
    expect(login.body).toEqual(later);
    expect(later).toMatchObject({ via: 'session', token: null });
    const hours = (Date.parse(later.session?.expiresAt ?? '') - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(1);
  });

  it('is not in a demo without the setting', async () => {
    expect((await me(admin)).demo).toBe(false);
  });

  it('includes the current grants by environment name', async () => {
    const west = await grant('west', 'run');
    const east = await grant('East', 'approve');
    expect((await me(viewer)).grants).toEqual([
      { environmentId: east, environmentName: 'East', level: 'approve' },
      { environmentId: west, environmentName: 'west', level: 'run' },
    ]);
    expect((await me(admin)).grants).toEqual([]);
    await admin.api.delete(`/api/environments/${east}/grants/${viewer.userId}`);
    expect(await me(viewer)).toMatchObject({ grants: [{ environmentId: west }], grantsTruncated: false });
  });

  it('includes at most two hundred grants and a flag for more', async () => {
    await queryAs(
      runward.database,
      admin.tenantId,
      `with made as (insert into environments (id, tenant_id, name, description)
          select gen_random_uuid(), $1, 'bulk-' || n, '' from generate_series(1, 200) n returning id)
        insert into environment_grants (tenant_id, environment_id, user_id, level) select $1, id, $2, 'view' from made`,
      [admin.tenantId, viewer.userId],
    );
    const { grants, grantsTruncated } = await me(viewer);
    expect([grants.length, grantsTruncated]).toEqual([200, true]);
  });
});

describe('a token', () => {
  it('is returned at its location without its value, to its owner and admins only', async () => {
    const made = await viewer.api.post<TokenView & { token?: string }>('/api/tokens', { name: 'mine' });
    const address = made.headers.get('location') ?? '';
    const { token: _, ...known } = made.body;
    for (const { api } of [viewer, admin]) expect((await api.get(address)).body).toEqual({ ...known, waitingRuns: 0 });
    const other = await runward.member(admin, 'operator');
    const hiddenToken = await other.api.get<{ requestId: string }>(address);
    const missingToken = await other.api.get<{ requestId: string }>('/api/tokens/none');
    expect([hiddenToken.status, { ...hiddenToken.body, requestId: '' }]).toEqual([
      404,
      { ...missingToken.body, requestId: '' },
    ]);
    await viewer.api.delete(address);
    expect((await viewer.api.get(address)).body).toMatchObject({ revokedAt: expect.any(String) });
  });
});
