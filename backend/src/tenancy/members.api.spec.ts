import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient } from '../../test/support/api-client.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../test/support/installation.js';
import { makeOneOfEach } from '../../test/support/one-of-each.js';

interface Member {
  id: string;
  email: string;
  role: string;
  disabled: boolean;
  version: number;
  setPasswordPath?: string;
}

let runward: Installation;
let admin: TestMember;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

const newMember = async (changes: object = {}): Promise<Member> => {
  numbered += 1;
  const email = `new-${numbered}@example.test`;
  const created = await admin.api.post<Member>('/api/members', { email, name: 'New', role: 'viewer', ...changes });
  expect(created.status).toBe(201);
  return created.body;
};

const signIn = (email: string, password: string) =>
  runward.anonymous.post<{ role: string }>('/api/auth/login', { email, password });

const secretOf = (path: string | undefined) => path?.split('#')[1] ?? '';

describe('adding a member', () => {
  it('allows a sign-in with the initial password', async () => {
    const member = await newMember({ role: 'operator', password: PASSWORD });
    expect(member).toMatchObject({ role: 'operator', disabled: false, version: 1 });
    expect(member).not.toHaveProperty('setPasswordPath');
    expect(await signIn(member.email, PASSWORD)).toMatchObject({ status: 200, body: { role: 'operator' } });
  });

  it('returns a one-time link if there is no password, which works once', async () => {
    const member = await newMember();
    expect(member.setPasswordPath).toMatch(/^\/set-password#[\w-]{43}$/);
    expect((await signIn(member.email, PASSWORD)).status).toBe(401);
    const use = { secret: secretOf(member.setPasswordPath), password: PASSWORD };
    const answers = await Promise.all([1, 2, 3].map(() => runward.anonymous.post('/api/auth/set-password', use)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 404, 404]);
    expect((await signIn(member.email, PASSWORD)).status).toBe(200);
    expect(await runward.anonymous.post('/api/auth/set-password', use)).toMatchObject({
      status: 404,
      body: { code: 'link_invalid' },
    });
  });

  it('does not return the link again when the request is repeated, and does not store it', async () => {
    const headers = { 'idempotency-key': 'add-once' };
    const body = { email: 'once@example.test', name: 'Once', role: 'viewer' };
    const first = await admin.api.post<Member>('/api/members', body, headers);
    const again = await admin.api.post<Member>('/api/members', body, headers);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual({ ...first.body, setPasswordPath: undefined });
    const secret = secretOf(first.body.setPasswordPath);
    const kept = await runward.database.query<{ found: number }>(
      `select count(*)::int as found from (
          select response::text as text from idempotency_keys union all select after::text from audit_entries
        ) as stored where text like '%' || $1 || '%'`,
      [secret],
    );
    expect(secret).toHaveLength(43);
    expect(kept).toEqual([{ found: 0 }]);
  });

  it('refuses an existing address, a short password, and an unknown role', async () => {
    const member = await newMember();
    const email = member.email.toUpperCase();
    expect(await admin.api.post('/api/members', { email, name: 'Twin', role: 'viewer' })).toMatchObject({
      status: 409,
      body: { code: 'duplicate_email' },
    });
    const wrong = { email: 'x@example.test', name: 'X', role: 'owner', password: 'short' };
    expect(await admin.api.post('/api/members', wrong)).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/role' }, { path: '/password', code: 'too_short' }] },
    });
  });

  it('allows the same address in another tenant', async () => {
    const other = await runward.tenant();
    const member = await newMember();
    const twin = { email: member.email, name: 'Twin', role: 'viewer' };
    expect((await other.api.post('/api/members', twin)).status).toBe(201);
  });
});

describe('a set-password link', () => {
  it('is revoked by a newer one, and ends the sessions of its member when it is used', async () => {
    const member = await newMember({ password: PASSWORD });
    const cookie = ((await signIn(member.email, PASSWORD)).headers.get('set-cookie') ?? '').split(';')[0];
    const session = apiClient(runward.url, { cookie });
    expect((await session.get('/api/auth/me')).status).toBe(200);
    const links = [];
    for (let n = 0; n < 2; n += 1) {
      links.push(await admin.api.post<Member & { expiresAt: string }>(`/api/members/${member.id}/password-link`));
    }
    const [older, newer] = links.map((link) => secretOf(link.body.setPasswordPath));
    const password = 'another long password';
    const use = (secret = '') => runward.anonymous.post('/api/auth/set-password', { secret, password });
    expect([(await use(older)).status, (await use(newer)).status]).toEqual([404, 204]);
    expect((await session.get('/api/auth/me')).status).toBe(401);
    expect((await signIn(member.email, password)).status).toBe(200);
  });

  it('ends after three days', async () => {
    const member = await newMember();
    await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
    const [link] = await runward.database.query<{ hours: number }>(
      `select extract(epoch from expires_at - created_at)::int / 3600 as hours from password_links where user_id = $1`,
      [member.id],
    );
    expect(link).toEqual({ hours: 72 });
    await runward.database.query(`update password_links set expires_at = now() where user_id = $1`, [member.id]);
    const use = { secret: secretOf(member.setPasswordPath), password: PASSWORD };
    expect((await runward.anonymous.post('/api/auth/set-password', use)).status).toBe(404);
  });
});

describe('a member', () => {
  it('is found by part of the name or address, but not from another tenant', async () => {
    const member = await newMember({ name: 'Ana Findable' });
    const found = await admin.api.get<{ items: Member[] }>('/api/members?q=findab');
    expect(found.body.items.map((item) => item.id)).toEqual([member.id]);
    const other = await runward.tenant();
    const answers = await Promise.all([
      other.api.get(`/api/members/${member.id}`),
      other.api.patch(`/api/members/${member.id}`, { role: 'admin' }),
      other.api.delete(`/api/members/${member.id}`),
      other.api.post(`/api/members/${member.id}/password-link`),
      other.api.get(`/api/members/${member.id}/sessions`),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404]);
    expect((await other.api.get<{ items: Member[] }>('/api/members?q=findab')).body.items).toEqual([]);
  });

  it('is managed by admins only', async () => {
    const operator = await runward.member(admin, 'operator');
    const answers = await Promise.all([
      operator.api.get('/api/members'),
      operator.api.get(`/api/members/${operator.userId}`),
      operator.api.post('/api/members', {}),
      operator.api.patch(`/api/members/${operator.userId}`, { role: 'admin' }),
      operator.api.delete(`/api/members/${admin.userId}`),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([403, 403, 403, 403, 403]);
  });

  it('has a new role from the next request, by token and by session', async () => {
    const operator = await runward.member(admin, 'operator');
    const cookie = ((await signIn(operator.email, PASSWORD)).headers.get('set-cookie') ?? '').split(';')[0];
    const callers = [operator.api, apiClient(runward.url, { cookie })];
    const statuses = () => Promise.all(callers.map(async (api) => (await api.get('/api/members')).status));
    expect(await statuses()).toEqual([403, 403]);
    await admin.api.patch(`/api/members/${operator.userId}`, { role: 'admin' });
    expect(await statuses()).toEqual([200, 200]);
    await admin.api.patch(`/api/members/${operator.userId}`, { role: 'viewer' });
    expect(await statuses()).toEqual([403, 403]);
  });

  it('is refused at once when disabled; after enabling, tokens work again and sessions stay ended', async () => {
    const viewer = await runward.member(admin, 'viewer');
    const cookie = ((await signIn(viewer.email, PASSWORD)).headers.get('set-cookie') ?? '').split(';')[0];
    const callers = [viewer.api, apiClient(runward.url, { cookie })];
    const statuses = () => Promise.all(callers.map(async (api) => (await api.get('/api/auth/me')).status));
    expect(await statuses()).toEqual([200, 200]);
    await admin.api.patch(`/api/members/${viewer.userId}`, { disabled: true });
    expect(await statuses()).toEqual([401, 401]);
    expect((await signIn(viewer.email, PASSWORD)).status).toBe(401);
    await admin.api.patch(`/api/members/${viewer.userId}`, { disabled: false });
    expect(await statuses()).toEqual([200, 401]);
  });

  it('loses tokens and sessions when removed, and leaves nothing in the directory', async () => {
    const viewer = await runward.member(admin, 'viewer');
    expect((await admin.api.delete(`/api/members/${viewer.userId}`)).status).toBe(204);
    expect((await viewer.api.get('/api/auth/me')).status).toBe(401);
    expect((await signIn(viewer.email, PASSWORD)).status).toBe(401);
    expect((await admin.api.get(`/api/members/${viewer.userId}`)).status).toBe(404);
    const left = await runward.database.query(
      `select d.kind from auth_directory d where not exists (select 1 from users u where u.id = d.record_id)
        and not exists (select 1 from sessions s where s.id = d.record_id)
        and not exists (select 1 from api_tokens k where k.id = d.record_id)
        and not exists (select 1 from password_links l where l.id = d.record_id)`,
    );
    expect(left).toEqual([]);
  });

  it('can be removed with any records, which keep the name', async () => {
    // Finds foreign keys without a deletion rule, because such a key would make a member permanent.
    const keeping = await runward.database.query<{ table: string }>(
      `select conrelid::regclass::text as table from pg_constraint
        where contype = 'f' and confrelid = 'users'::regclass and confdeltype in ('a', 'r')`,
    );
    expect(keeping).toEqual([]);
    const maker = await runward.member(admin, 'admin');
    const { importId, keyRotationId } = await makeOneOfEach(maker, 'basalt');
    expect((await admin.api.delete(`/api/members/${maker.userId}`)).status).toBe(204);
    const name = maker.email.replace('-', ' ').split('@')[0];
    for (const path of [`/api/inventory/imports/${importId}`, `/api/key-rotations/${keyRotationId}`]) {
      const { status, body } = await admin.api.get<{ createdBy: { id: string; name: string } }>(path);
      expect({ path, status, ...body.createdBy }).toEqual({ path, status: 200, id: maker.userId, name });
    }
  });

  it('keeps concurrent changes of two admins, and returns 412 to a third with an old version', async () => {
    const member = await newMember({ role: 'operator' });
    const path = `/api/members/${member.id}`;
    const changes = [{ name: 'Renamed' }, { role: 'viewer' }];
    expect((await Promise.all(changes.map((change) => admin.api.patch(path, change)))).map((a) => a.status)).toEqual([
      200, 200,
    ]);
    expect(await admin.api.get(path)).toMatchObject({ body: { name: 'Renamed', role: 'viewer', version: 3 } });
    expect((await admin.api.patch(path, { name: 'Late' }, { 'if-match': '"1"' })).status).toBe(412);
  });
});
