import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient } from '../../test/support/api-client.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../test/support/installation.js';
import { queryAs } from '../../test/support/table-contents.js';
import { TenantCreation } from '../tenancy/create-tenant.js';

interface Me {
  id: string;
  via: string;
  tenant: { name: string };
}

let runward: Installation;
let admin: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

const login = (email: string, password = PASSWORD, tenant?: string) =>
  runward.anonymous.post<Me & { code: string; requestId: string }>('/api/auth/login', { email, password, tenant });

const cookieOf = (answer: { headers: Headers }) => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

describe('signing in', () => {
  it('answers with the caller and sets a cookie that scripts cannot read', async () => {
    const answer = await login(admin.email.toUpperCase());
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ email: admin.email, role: 'admin', tenant: { name: 'acme' }, via: 'session' });
    expect(answer.headers.get('set-cookie')).toMatch(/^runward_session=[^;]+; .*HttpOnly; SameSite=Strict$/);
  });

  it('refuses a wrong password, an unknown user and a disabled member with the same text and after the same time', async () => {
    const disabled = await runward.member(admin, 'viewer');
    await admin.api.patch(`/api/members/${disabled.userId}`, { disabled: true });
    const attempts = [
      { email: admin.email, password: 'wrong' },
      { email: 'stranger@example.test', password: PASSWORD },
      { email: disabled.email, password: PASSWORD },
      { email: admin.email, password: PASSWORD, tenant: 'no such tenant' },
    ];
    for (const attempt of attempts) {
      const from = performance.now();
      const answer = await runward.anonymous.post<{ requestId: string }>('/api/auth/login', attempt);
      expect(performance.now() - from).toBeGreaterThan(98);
      expect(answer.status).toBe(401);
      expect({ ...answer.body, requestId: '' }).toEqual({
        type: '/api/docs/problems#login_failed',
        title: 'Sign-in failed',
        status: 401,
        code: 'login_failed',
        detail: 'E-mail address or password is wrong.',
        requestId: '',
      });
    }
  });

  it('answers the same to a wrong password, an unknown address, a wrong tenant and a disabled member', async () => {
    const disabled = await runward.member(admin, 'operator');
    await queryAs(runward.database, admin.tenantId, 'update users set disabled_at = now() where id = $1', [
      disabled.userId,
    ]);
    const refusals = [
      await login(admin.email, 'wrong horse battery staple'),
      await login('nobody@example.test'),
      await login(admin.email, PASSWORD, 'elsewhere'),
      await login(disabled.email),
      await login(disabled.email, 'wrong'),
    ];
    const [first] = refusals;
    for (const refusal of refusals) {
      expect(refusal.status).toBe(401);
      expect(refusal.headers.get('set-cookie')).toBeNull();
      expect(refusal.headers.get('www-authenticate')).toMatch(/^Bearer /);
      expect(refusal.text.replace(refusal.body.requestId, '')).toBe(first?.text.replace(first.body.requestId, ''));
    }
    expect(first?.body.code).toBe('login_failed');
  });

  it('requires the tenant when one address and password match members of several tenants', async () => {
    const sharedEmail = 'twice@example.test';
    for (const name of ['north', 'south']) {
      const fields = { name, adminEmail: sharedEmail, adminName: 'Twice', adminPassword: PASSWORD };
      await runward.app.get(TenantCreation).create(fields);
    }
    const uncertainLogin = await login(sharedEmail);
    expect([uncertainLogin.status, uncertainLogin.body.code]).toEqual([409, 'tenant_required']);
    expect(uncertainLogin.headers.get('set-cookie')).toBeNull();
    const certainLogin = await login(sharedEmail, PASSWORD, 'SOUTH');
    expect([certainLogin.status, certainLogin.body.tenant.name]).toEqual([200, 'south']);
    expect((await login(sharedEmail, 'wrong')).status).toBe(401);
  });

  it('stores only a hash of the session secret', async () => {
    const secret = cookieOf(await login(admin.email)).split('=')[1] ?? '';
    expect(secret.length).toBeGreaterThan(40);
    const rows = await queryAs<{ row: string }>(
      runward.database,
      admin.tenantId,
      `select t::text as row from sessions t union all select encode(key, 'escape') || t::text from auth_directory t`,
    );
    const raw = Buffer.from(secret).toString('hex');
    expect(rows.filter(({ row }) => row.includes(secret) || row.includes(raw))).toEqual([]);
  });

  it('audits successful and refused sign-ins of the tenant, without the password', async () => {
    await login(admin.email, 'hunter2-hunter2');
    await login(admin.email);
    const entries = await queryAs<{ action: string; row: string }>(
      runward.database,
      admin.tenantId,
      'select action, t::text as row from audit_entries t order by id desc limit 2',
    );
    expect(entries.map((entry) => entry.action)).toEqual(['session.start', 'session.refuse']);
    expect(entries.some((entry) => entry.row.includes('hunter2'))).toBe(false);
  });

  it('audits the member as actor of a sign-in, and an anonymous actor for a refusal', async () => {
    await login(admin.email, 'wrong');
    await login(admin.email);
    interface Entry {
      action: string;
      actor: { kind: string; id: string | null; name: string | null; address: string };
      resourceType: string;
      resourceId: string;
      resourceName: string | null;
    }
    const { body } = await admin.api.get<{ items: Entry[] }>('/api/audit-logs?limit=2');
    const [started, refused] = body.items;
    const address = expect.stringContaining('127.0.0.1');
    expect(started).toMatchObject({
      action: 'session.start',
      actor: { kind: 'user', id: admin.userId, name: 'Admin 1', address },
      resourceType: 'session',
    });
    expect(refused).toMatchObject({
      action: 'session.refuse',
      actor: { kind: 'anonymous', id: null, name: null, address },
      resourceType: 'user',
      resourceId: admin.userId,
      resourceName: admin.email,
    });
    const own = await admin.api.get<{ items: Entry[] }>(`/api/audit-logs?actorId=${admin.userId}&action=session.start`);
    expect(own.body.items[0]?.resourceId).toBe(started?.resourceId);
  });
});

describe('a session', () => {
  it('returns the caller for a cookie as for a token', async () => {
    const session = apiClient(runward.url, { cookie: cookieOf(await login(admin.email)) });
    const byCookie = await session.get<Me>('/api/auth/me');
    const byToken = await admin.api.get<Me>('/api/auth/me');
    expect([byCookie.status, byToken.status]).toEqual([200, 200]);
    const own = { via: 'session', token: null, session: expect.anything() };
    expect(byCookie.body).toEqual({ ...byToken.body, ...own });
    expect(byToken.body.via).toBe('token');
  });

  it('ends at logout without ending other sessions of the member', async () => {
    const endedSession = apiClient(runward.url, { cookie: cookieOf(await login(admin.email)) });
    const other = apiClient(runward.url, { cookie: cookieOf(await login(admin.email)) });
    const logout = await endedSession.post('/api/auth/logout');
    expect(logout.status).toBe(204);
    expect(logout.headers.get('set-cookie')).toMatch(/^runward_session=;.*Expires=Thu, 01 Jan 1970/);
    expect((await endedSession.get('/api/auth/me')).status).toBe(401);
    expect((await other.get('/api/auth/me')).status).toBe(200);
  });

  it('does not end a token at logout', async () => {
    expect((await admin.api.post('/api/auth/logout')).status).toBe(204);
    expect((await admin.api.get('/api/auth/me')).status).toBe(200);
  });

  it('expires by the clock of the database', async () => {
    const session = apiClient(runward.url, { cookie: cookieOf(await login(admin.email)) });
    expect((await session.get('/api/auth/me')).status).toBe(200);
    await queryAs(runward.database, admin.tenantId, `update sessions set expires_at = now()`);
    expect((await session.get('/api/auth/me')).status).toBe(401);
  });

  it('ends with the next request after its member was disabled', async () => {
    const member = await runward.member(admin, 'viewer');
    const session = apiClient(runward.url, { cookie: cookieOf(await login(member.email)) });
    expect((await session.get('/api/auth/me')).status).toBe(200);
    await queryAs(runward.database, admin.tenantId, 'update users set disabled_at = now() where id = $1', [
      member.userId,
    ]);
    expect((await session.get('/api/auth/me')).status).toBe(401);
    expect((await member.api.get('/api/auth/me')).status).toBe(401);
  });

  it('rejects forged and altered cookies', async () => {
    const cookie = cookieOf(await login(admin.email));
    const alteredCookie = cookie.slice(0, -1) + (cookie.endsWith('A') ? 'B' : 'A');
    for (const each of [alteredCookie, 'runward_session=', 'runward_session=x', `${cookie}x`, 'runward_session=%00']) {
      expect((await apiClient(runward.url, { cookie: each }).get('/api/auth/me')).status).toBe(401);
    }
  });
});
