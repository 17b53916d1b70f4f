import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../../test/support/installation.js';

interface Session {
  id: string;
  userAgent: string;
  current: boolean;
}

let runward: Installation;
let admin: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant();
});
afterAll(() => runward.close());

const open = async (member: TestMember, userAgent: string, password = PASSWORD): Promise<ApiClient> => {
  const login = await runward.anonymous.post(
    '/api/auth/login',
    { email: member.email, password },
    { 'user-agent': userAgent },
  );
  expect(login.status).toBe(200);
  return apiClient(runward.url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
};

const list = async (api: ApiClient, path = '/api/auth/sessions') => {
  const answer = await api.get<{ items: Session[] }>(path);
  expect(answer.status).toBe(200);
  return answer.body.items;
};
const statusOf = async (api: ApiClient) => (await api.get('/api/auth/me')).status;

describe('sessions', () => {
  it('are listed to their owner without their secrets, the current one marked', async () => {
    const member = await runward.member(admin, 'viewer');
    const first = await open(member, 'First browser');
    await open(member, 'Second browser');
    const sessions = await list(first);
    const currentFlags = sessions.map(({ userAgent, current }) => [userAgent, current]).slice(0, 2);
    expect(currentFlags).toEqual([
      ['Second browser', false],
      ['First browser', true],
    ]);
    expect(Object.keys(sessions[0] ?? {}).sort()).toEqual(
      ['address', 'createdAt', 'current', 'expiresAt', 'id', 'lastSeenAt', 'userAgent'].sort(),
    );
    expect((await list(member.api)).some((session) => session.current)).toBe(false);
  });

  it('are ended one by one, by their owner or an admin, on the next request', async () => {
    const member = await runward.member(admin, 'operator');
    const [one, two, three] = [await open(member, '1'), await open(member, '2'), await open(member, '3')];
    const ids = Object.fromEntries((await list(one)).map((session) => [session.userAgent, session.id]));
    expect((await one.delete(`/api/auth/sessions/${ids['2']}`)).status).toBe(204);
    expect((await admin.api.delete(`/api/members/${member.userId}/sessions/${ids['3']}`)).status).toBe(204);
    expect([await statusOf(one), await statusOf(two), await statusOf(three)]).toEqual([200, 401, 401]);
    expect((await one.delete(`/api/auth/sessions/${ids['2']}`)).status).toBe(404);
    const seen = await list(admin.api, `/api/members/${member.userId}/sessions`);
    expect(seen.map((session) => session.userAgent)).not.toEqual(expect.arrayContaining(['2', '3']));
  });

  it("of other members are not found: neither a colleague's nor another tenant's, nor under another member", async () => {
    const member = await runward.member(admin, 'operator');
    const colleague = await runward.member(admin, 'operator');
    const other = await runward.tenant();
    const session = await open(member, 'Mine');
    const id = (await list(session)).find((each) => each.current)?.id;
    const answers = await Promise.all([
      colleague.api.delete(`/api/auth/sessions/${id}`),
      admin.api.delete(`/api/auth/sessions/${id}`),
      admin.api.delete(`/api/members/${colleague.userId}/sessions/${id}`),
      other.api.delete(`/api/members/${member.userId}/sessions/${id}`),
      other.api.get(`/api/members/${member.userId}/sessions`),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404]);
    expect((await colleague.api.get(`/api/members/${member.userId}/sessions`)).status).toBe(403);
    expect(await statusOf(session)).toBe(200);
  });
});

describe("changing one's own password", () => {
  it('ends the other sessions and keeps this one and the API tokens', async () => {
    const member = await runward.member(admin, 'viewer');
    const [currentSession, otherSession] = [await open(member, 'Here'), await open(member, 'There')];
    const newPassword = 'a password of my own';
    const changed = await currentSession.post('/api/auth/password', { currentPassword: PASSWORD, newPassword });
    expect(changed.status).toBe(204);
    expect([await statusOf(currentSession), await statusOf(otherSession), await statusOf(member.api)]).toEqual([
      200, 401, 200,
    ]);
    const old = await runward.anonymous.post('/api/auth/login', { email: member.email, password: PASSWORD });
    expect(old.status).toBe(401);
    await open(member, 'Again', newPassword);
  });

  it('needs the current password, and delays guesses like a sign-in', async () => {
    const member = await runward.member(admin, 'viewer');
    const guess = () => member.api.post('/api/auth/password', { currentPassword: 'guess', newPassword: PASSWORD });
    expect(await guess()).toMatchObject({
      status: 400,
      body: { errors: [{ path: '/currentPassword', code: 'wrong_password' }] },
    });
    for (let n = 0; n < 4; n += 1) expect((await guess()).status).toBe(400);
    expect(await guess()).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
  });

  it('accepts one of two concurrent changes', async () => {
    const member = await runward.member(admin, 'viewer');
    const answers = await Promise.all(
      ['first new password', 'second new password'].map((newPassword) =>
        member.api.post('/api/auth/password', { currentPassword: PASSWORD, newPassword }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 400]);
  });
});
