import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient } from '../../../test/support/api-client.js';
import { comparable } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { queryAs, tableNames } from '../../../test/support/table-contents.js';
import { mintToken } from '../../common/crypto/api-token.js';
import { newId } from '../../common/ids.js';

interface Token {
  id: string;
  name: string;
  prefix: string;
  token: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
  code?: string;
  errors?: { path: string; code: string }[];
}

let runward: Installation;
let admin: TestMember;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

async function create(member: TestMember = admin, fields: object = {}): Promise<Token> {
  numbered += 1;
  const answer = await member.api.post<Token>('/api/tokens', { name: `token-${numbered}`, ...fields });
  expect(answer.status).toBe(201);
  return answer.body;
}

const statusOf = async (token: string) => (await apiClient(runward.url, { token }).get('/api/auth/me')).status;
const own = async (id: string) =>
  (await admin.api.get<{ items: Token[] }>('/api/tokens?limit=200')).body.items.find((token) => token.id === id);

describe('a token', () => {
  it('is shown in full once, and never again', async () => {
    const { token, ...tokenView } = await create();
    expect(token).toMatch(/^runward_[A-Za-z0-9_-]{40,}$/);
    expect(token.startsWith(tokenView.prefix)).toBe(true);
    expect(tokenView.prefix.length).toBeLessThan(token.length / 2);
    const list = await admin.api.get<{ items: Token[] }>('/api/tokens');
    expect(list.text).not.toContain(token);
    expect(list.body.items.find((each) => each.id === tokenView.id)).toEqual({ ...tokenView, waitingRuns: 0 });
  });

  it('is stored only as the hash of its secret', async () => {
    const { id, token, prefix } = await create();
    const rows: string[] = [];
    for (const table of await tableNames(runward.database)) {
      const found = await queryAs<{ row: string }>(
        runward.database,
        admin.tenantId,
        `select t::text as row from ${table} t`,
      );
      rows.push(...found.map(({ row }) => row));
    }
    const secretPart = token.slice(prefix.length);
    const secrets = [secretPart, secretPart.slice(0, 30), Buffer.from(secretPart).toString('hex').slice(0, 60)];
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter((row) => secrets.some((secret) => row.includes(secret)))).toEqual([]);
    const sql = 'select secret_hash, octet_length(secret_hash) as bytes from api_tokens where id = $1';
    const [row] = await queryAs<{ secret_hash: Buffer; bytes: number }>(runward.database, admin.tenantId, sql, [id]);
    expect(row?.bytes).toBe(createHash('sha256').digest().length);
    expect(token).not.toContain(row?.secret_hash.toString('base64url') ?? '');
  });

  it('is refused with any one character changed, removed or added', async () => {
    const { token } = await create();
    expect(await statusOf(token)).toBe(200);
    for (let at = 0; at < token.length; at += 7) {
      const other = token[at] === 'x' ? 'y' : 'x';
      expect({ at, status: await statusOf(token.slice(0, at) + other + token.slice(at + 1)) }).toEqual({
        at,
        status: 401,
      });
    }
    expect(await statusOf(token.slice(0, -1))).toBe(401);
    expect(await statusOf(`${token}x`)).toBe(401);
  });

  it('is refused when only its id is correct', async () => {
    const { id, token } = await create();
    const forgedToken = mintToken();
    await runward.database.query('update auth_directory set key = $2 where record_id = $1', [
      id,
      Buffer.from(forgedToken.id),
    ]);
    expect(await statusOf(forgedToken.token)).toBe(401);
    await runward.database.query('update auth_directory set key = $2 where record_id = $1', [
      id,
      Buffer.from(token.split('_')[1] ?? ''),
    ]);
    expect(await statusOf(token)).toBe(200);
  });

  it('is not accepted under another scheme, or with trailing text', async () => {
    const { token } = await create();
    for (const authorization of [`Basic ${token}`, token, `Bearer ${token} x`, 'Bearer', 'Bearer  ']) {
      expect((await runward.anonymous.get('/api/auth/me', { authorization })).status).toBe(401);
    }
    expect((await runward.anonymous.get('/api/auth/me', { authorization: `bearer ${token}` })).status).toBe(200);
  });

  it('expires at its time by the clock of the database', async () => {
    const { id, token, expiresAt } = await create(admin, { expiresAt: '2099-01-01T00:00:00Z' });
    expect(expiresAt).toBe('2099-01-01T00:00:00.000Z');
    expect(await statusOf(token)).toBe(200);
    const sql = `update api_tokens set expires_at = now() - interval '1 millisecond' where id = $1`;
    await queryAs(runward.database, admin.tenantId, sql, [id]);
    expect(await statusOf(token)).toBe(401);
  });

  it('is not created with an invalid expiry or one in the past', async () => {
    for (const expiresAt of ['2001-01-01T00:00:00Z', 'tomorrow', '2099-02-30T00:00:00Z', '', '4102444800']) {
      const answer = await admin.api.post<Token>('/api/tokens', { name: `never-${expiresAt}`, expiresAt });
      expect({ expiresAt, status: answer.status, path: answer.body.errors?.[0]?.path }).toEqual({
        expiresAt,
        status: 400,
        path: '/expiresAt',
      });
    }
  });

  it('has a unique name among the valid tokens of its member', async () => {
    const { id, name } = await create();
    const again = await admin.api.post<Token>('/api/tokens', { name: name.toUpperCase() });
    expect([again.status, again.body.code]).toEqual([409, 'duplicate_name']);
    expect((await admin.api.delete(`/api/tokens/${id}`)).status).toBe(200);
    expect((await admin.api.post('/api/tokens', { name })).status).toBe(201);
  });

  it('reports when and from where it was last used', async () => {
    const { id, token, lastUsedAt } = await create();
    expect(lastUsedAt).toBeNull();
    const before = Date.now();
    expect(await statusOf(token)).toBe(200);
    const used = await own(id);
    expect(Math.abs(new Date(used?.lastUsedAt ?? 0).getTime() - before)).toBeLessThan(60_000);
    expect(used).toMatchObject({ lastUsedAddress: expect.stringContaining('127.0.0.1') });
  });
});

describe('revoking a token', () => {
  it('refuses its next request and keeps its row', async () => {
    const { id, token } = await create();
    expect(await statusOf(token)).toBe(200);
    expect((await admin.api.delete(`/api/tokens/${id}`)).status).toBe(200);
    expect(await statusOf(token)).toBe(401);
    expect((await own(id))?.revokedAt).toEqual(expect.any(String));
    expect((await admin.api.delete(`/api/tokens/${id}`)).status).toBe(200);
  });

  it('may be the last action of a token', async () => {
    const { id, token } = await create();
    const self = apiClient(runward.url, { token });
    expect((await self.delete(`/api/tokens/${id}`)).status).toBe(200);
    expect((await self.delete(`/api/tokens/${id}`)).status).toBe(401);
  });

  it('is reserved to its owner and admins of the same tenant: other members do not find it', async () => {
    const operator = await runward.member(admin, 'operator');
    const { id, token } = await create(operator);
    const others = [
      await runward.member(admin, 'viewer'),
      await runward.member(admin, 'operator'),
      await runward.tenant(),
    ];
    for (const { api } of others) {
      const [refused, random] = [
        await api.delete<Token>(`/api/tokens/${id}`),
        await api.delete<Token>(`/api/tokens/${newId()}`),
      ];
      expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
      expect(comparable(refused)).toEqual(comparable(random));
      expect((await api.get('/api/tokens?limit=200')).text).not.toContain(id);
    }
    expect(await statusOf(token)).toBe(200);
    expect((await admin.api.get('/api/tokens?limit=200')).text).not.toContain(id);
    expect((await admin.api.delete(`/api/tokens/${id}`)).status).toBe(200);
    expect(await statusOf(token)).toBe(401);
  });

  it('is in the audit trail, like the creation, and neither entry contains the value', async () => {
    const { id, token } = await create();
    await admin.api.delete(`/api/tokens/${id}`, { 'x-request-id': 'revoke-1' });
    const entries = await queryAs<{ action: string; request_id: string; row: string }>(
      runward.database,
      admin.tenantId,
      'select action, request_id, t::text as row from audit_entries t where resource_id = $1 order by id',
      [id],
    );
    expect(entries.map(({ action }) => action)).toEqual(['token.create', 'token.revoke']);
    expect(entries[1]?.request_id).toBe('revoke-1');
    expect(entries.some(({ row }) => row.includes(token.slice(-30)))).toBe(false);
  });
});

describe("the current state of a token's member", () => {
  it('determines the role of the token', async () => {
    const member = await runward.member(admin, 'operator');
    const { token } = await create(member);
    const api = apiClient(runward.url, { token });
    const role = (name: string) =>
      queryAs(runward.database, admin.tenantId, 'update users set role = $2 where id = $1', [member.userId, name]);
    expect((await api.post('/api/environments', { name: 'as operator' })).status).toBe(201);
    await role('viewer');
    const refused = await api.post<{ code: string }>('/api/environments', { name: 'as viewer' });
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_role']);
    expect((await api.get('/api/environments')).status).toBe(200);
    await role('admin');
    expect((await api.get('/api/auth/me')).body).toMatchObject({ role: 'admin' });
  });

  it('disables the token while the member is disabled', async () => {
    const member = await runward.member(admin, 'viewer');
    const { token } = await create(member);
    const set = (sql: string) =>
      queryAs(runward.database, admin.tenantId, `update users set disabled_at = ${sql} where id = $1`, [member.userId]);
    await set('now()');
    expect(await statusOf(token)).toBe(401);
    await set('null');
    expect(await statusOf(token)).toBe(200);
  });
});
