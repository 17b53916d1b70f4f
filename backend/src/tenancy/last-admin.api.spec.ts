import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient } from '../../test/support/api-client.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { mintToken } from '../common/crypto/api-token.js';
import { newId } from '../common/ids.js';

let runward: Installation;

beforeAll(async () => {
  runward = await startInstallation();
});
afterAll(() => runward.close());

const ADMINS = 10;

async function adminsOfOneTenant(): Promise<TestMember[]> {
  const first = await runward.tenant();
  const others = [];
  for (let n = 1; n < ADMINS; n += 1) others.push(await runward.member(first, 'admin'));
  return [first, ...others];
}

/** Creates admins with a token each. Skips the sign-in, which would take seconds. */
async function admitAdmins(admin: TestMember, count: number): Promise<Pick<TestMember, 'userId' | 'api'>[]> {
  const { database, url } = runward;
  await database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const userId = newId();
      const tokenId = newId();
      const { token, id, secretHash } = mintToken();
      await database.query(`insert into users (id, tenant_id, email, name, role) values ($1, $2, $3, 'A', 'admin')`, [
        userId,
        admin.tenantId,
        `one-of-many-${n}@example.test`,
      ]);
      await database.query(
        `insert into api_tokens (id, tenant_id, user_id, name, prefix, secret_hash) values ($1, $2, $3, 'test', '', $4)`,
        [tokenId, admin.tenantId, userId, secretHash],
      );
      await database.query(
        `insert into auth_directory (kind, key, tenant_id, record_id) values ('token', $1, $2, $3)`,
        [Buffer.from(id), admin.tenantId, tokenId],
      );
      return { userId, api: apiClient(url, { token }) };
    }),
  );
}

async function activeAdmins(tenantId: string): Promise<number> {
  const [row] = await runward.database.query<{ count: number }>(
    `select count(*)::int as count from users where tenant_id = $1 and role = 'admin' and disabled_at is null`,
    [tenantId],
  );
  return row?.count ?? 0;
}

describe('the last active admin', () => {
  it.each([
    ['demoted', (api: TestMember['api'], id: string) => api.patch(`/api/members/${id}`, { role: 'viewer' })],
    ['disabled', (api: TestMember['api'], id: string) => api.patch(`/api/members/${id}`, { disabled: true })],
    ['removed', (api: TestMember['api'], id: string) => api.delete(`/api/members/${id}`)],
  ])('cannot be %s, even by their own request', async (_, removeAdmin) => {
    const admin = await runward.tenant();
    await runward.member(admin, 'operator');
    expect(await removeAdmin(admin.api, admin.userId)).toMatchObject({ status: 409, body: { code: 'last_admin' } });
    expect(await admin.api.get('/api/auth/me')).toMatchObject({ status: 200, body: { role: 'admin' } });
    await runward.member(admin, 'admin');
    expect((await removeAdmin(admin.api, admin.userId)).status).toBeLessThan(300);
  });

  it('remains after a race of 100 demotions, disablings and removals among ten admins', async () => {
    const admins = await adminsOfOneTenant();
    const [{ tenantId }] = admins as [TestMember];
    const losses = Array.from({ length: 100 }, (_, n) => {
      // Every admin is the target ten times, each time of another admin.
      const { api } = admins[(n + Math.floor(n / ADMINS)) % ADMINS] as TestMember;
      const { userId } = admins[n % ADMINS] as TestMember;
      if (n % 3 === 0) return api.patch<{ code?: string }>(`/api/members/${userId}`, { role: 'operator' });
      if (n % 3 === 1) return api.patch<{ code?: string }>(`/api/members/${userId}`, { disabled: true });
      return api.delete<{ code?: string }>(`/api/members/${userId}`);
    });
    const answers = await Promise.all(losses);
    const outcomes: Record<string, number> = {};
    for (const { status, body } of answers) {
      const outcome = status < 300 ? 'done' : `${status} ${body.code}`;
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
    // The race may remove or demote the caller or the target. Then these errors are right; no other result is possible.
    const expected = ['done', '401 unauthorized', '403 insufficient_role', '404 not_found', '409 last_admin'];
    expect(Object.keys(outcomes).filter((outcome) => !expected.includes(outcome))).toEqual([]);
    expect(await activeAdmins(tenantId)).toBe(1);
    expect(outcomes['409 last_admin']).toBeGreaterThan(0);
  });

  it('is refused for exactly one of a hundred who demote, remove or disable themselves at once', async () => {
    const first = await runward.tenant();
    const admins = await admitAdmins(first, 99);
    const losses = [first, ...admins].map(({ api, userId }, n) => {
      const path = `/api/members/${userId}`;
      return n % 3 === 0
        ? api.patch(path, { role: 'viewer' })
        : n % 3 === 1
          ? api.patch(path, { disabled: true })
          : api.delete(path);
    });
    const answers = await Promise.all(losses);
    const losers = answers.filter((answer) => answer.status >= 300);
    expect(answers).toHaveLength(100);
    expect(losers).toHaveLength(1);
    expect(losers[0]).toMatchObject({ status: 409, body: { code: 'last_admin' } });
    expect(await activeAdmins(first.tenantId)).toBe(1);
  });

  it('remains when a member becomes an admin while another admin leaves', async () => {
    for (let round = 0; round < 10; round += 1) {
      const admin = await runward.tenant();
      const other = await runward.member(admin, 'operator');
      const change = (userId: string, role: string) => admin.api.patch(`/api/members/${userId}`, { role });
      await Promise.all([
        change(other.userId, 'viewer'),
        change(other.userId, 'admin'),
        change(admin.userId, 'viewer'),
        change(other.userId, 'operator'),
      ]);
      expect(await activeAdmins(admin.tenantId)).toBeGreaterThan(0);
    }
  });
});
