import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { newId } from '../../common/ids.js';

interface Token {
  id: string;
  name: string;
  token: string;
  parentId: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
  user: { id: string; name: string };
}

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let other: TestMember;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant();
  operator = await runward.member(admin, 'operator');
  other = await runward.tenant();
});
afterAll(() => runward.close());

const make = async (by: ApiClient, expiresAt?: string) => {
  numbered += 1;
  const answer = await by.post<Token>('/api/tokens', { name: `token ${numbered}`, expiresAt });
  expect(answer.status).toBe(201);
  return { ...answer.body, api: apiClient(runward.url, { token: answer.body.token }) };
};

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const statusOf = async (api: ApiClient) => (await api.get('/api/auth/me')).status;

describe("a member's tokens", () => {
  it('are listed and revoked by an admin, with their owners, but not those of another tenant', async () => {
    const token = await make(operator.api);
    const list = await admin.api.get<{ items: Token[] }>(`/api/tokens?userId=${operator.userId}`);
    const found = list.body.items.find((item) => item.id === token.id);
    expect(found).toMatchObject({ name: token.name, user: { id: operator.userId }, revokedAt: null });
    expect(list.text).not.toContain(token.token);
    expect((await other.api.delete(`/api/tokens/${token.id}`)).status).toBe(404);
    expect(await statusOf(token.api)).toBe(200);
    expect((await admin.api.delete(`/api/tokens/${token.id}`)).status).toBe(200);
    expect(await statusOf(token.api)).toBe(401);
    expect((await admin.api.delete(`/api/tokens/${token.id}`)).status).toBe(200);
  });

  it("of an unknown member and of another tenant's are the same empty list, byte for byte", async () => {
    const ids = [newId(), other.userId];
    const answers = await Promise.all(ids.map((id) => admin.api.get(`/api/tokens?userId=${id}`)));
    expect(answers.map((answer) => [answer.status, answer.text])).toEqual(
      ids.map(() => [200, '{"items":[],"nextCursor":null}']),
    );
  });

  it('are not visible to members who are not admins, whatever member they request', async () => {
    const ids = [admin.userId, newId(), other.userId];
    const answers = await Promise.all(ids.map((id) => operator.api.get(`/api/tokens?userId=${id}`)));
    expect(answers.map((answer) => answer.status)).toEqual([403, 403, 403]);
    expect((await operator.api.get(`/api/tokens?userId=${operator.userId}`)).status).toBe(200);
    const token = await make(admin.api);
    expect((await operator.api.delete(`/api/tokens/${token.id}`)).status).toBe(404);
    expect(await statusOf(token.api)).toBe(200);
  });
});

describe('a token created with a token', () => {
  it('inherits the expiry of its parent, may expire earlier, and never later', async () => {
    const end = inHours(2);
    const parent = await make((await make(operator.api)).api, end);
    expect(await make(parent.api)).toMatchObject({ parentId: parent.id, expiresAt: end });
    expect(await make(parent.api, inHours(1))).toMatchObject({ parentId: parent.id });
    expect(await make(parent.api, end)).toMatchObject({ expiresAt: end });
    const later = { name: 'later', expiresAt: inHours(3) };
    expect(await parent.api.post('/api/tokens', later)).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/expiresAt', code: 'outlives_parent' }] },
    });
  });

  it('is revoked with its parent, and so are its own children', async () => {
    const parent = await make(operator.api);
    const child = await make(parent.api);
    const grandchild = await make(child.api);
    const sibling = await make(operator.api);
    const statuses = () => Promise.all([parent, child, grandchild, sibling].map(({ api }) => statusOf(api)));
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await operator.api.delete(`/api/tokens/${parent.id}`);
    expect(await statuses()).toEqual([401, 401, 401, 200]);
    const list = await operator.api.get<{ items: Token[] }>('/api/tokens?limit=200');
    const revoked = list.body.items.filter((item) => item.revokedAt !== null).map((item) => item.id);
    expect(revoked).toEqual(expect.arrayContaining([parent.id, child.id, grandchild.id]));
  });

  it('leaves its parent valid when it is revoked', async () => {
    const parent = await make(operator.api);
    const child = await make(parent.api);
    await child.api.delete(`/api/tokens/${child.id}`);
    expect([await statusOf(parent.api), await statusOf(child.api)]).toEqual([200, 401]);
  });

  it('never survives a concurrent revocation', async () => {
    for (let round = 0; round < 5; round += 1) {
      const parent = await make(operator.api);
      const child = await make(parent.api);
      const childRequests = [1, 2, 3, 4, 5, 6].map((n) =>
        (n % 2 ? parent : child).api.post<Token>('/api/tokens', { name: `racing ${round} ${n}` }),
      );
      const [, ...childAnswers] = await Promise.all([
        operator.api.delete(`/api/tokens/${parent.id}`),
        ...childRequests,
      ]);
      const validTokens = childAnswers.filter((answer) => answer.status === 201).map((answer) => answer.body.token);
      const statuses = await Promise.all(validTokens.map((token) => statusOf(apiClient(runward.url, { token }))));
      expect(statuses.every((status) => status === 401)).toBe(true);
      expect(childAnswers.map((answer) => answer.status).filter((status) => status !== 201 && status !== 401)).toEqual(
        [],
      );
    }
  });

  it('expires by the clock of the database', async () => {
    const parent = await make(operator.api, inHours(1));
    const child = await make(parent.api);
    await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
    await runward.database.query(`update api_tokens set expires_at = now() where id in ($1, $2)`, [
      parent.id,
      child.id,
    ]);
    expect([await statusOf(parent.api), await statusOf(child.api)]).toEqual([401, 401]);
  });
});
