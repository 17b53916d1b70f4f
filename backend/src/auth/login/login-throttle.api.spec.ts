import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../../test/support/installation.js';

let runward: Installation;
let admin: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());
beforeEach(() => runward.database.query('delete from login_throttle'));

const signIn = (email: string, password: string, tenant?: string, url?: string) => {
  const client = url ? clientOf(url) : runward.anonymous;
  return client.post<{ code?: string }>('/api/auth/login', { email, password, tenant });
};
const clientOf = (url: string) => ({
  post: async <T>(path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as T };
  },
});

/** Simulates elapsed time by moving all stored times into the past. */
const pass = (seconds: number) =>
  runward.database.query(
    `update login_throttle set last_failure_at = last_failure_at - make_interval(secs => $1),
      blocked_until = blocked_until - make_interval(secs => $1), slot_at = slot_at - make_interval(secs => $1)`,
    [seconds],
  );

/**
 * Makes wrong attempts. Each is made as soon as it is allowed, and a second one follows too early. @returns the delays
 * in the responses, in seconds
 */
async function delaysOf(email: string, attempts: number): Promise<number[]> {
  const delays: number[] = [];
  for (let n = 0; n < attempts; n += 1) {
    const attempt = await signIn(email, 'wrong');
    expect(attempt.status).toBe(401);
    const refused = await signIn(email, 'wrong');
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    const wait = Number(refused.headers.get('retry-after'));
    delays.push(wait);
    await pass(wait);
  }
  return delays;
}

describe('failed sign-ins', () => {
  it('cause a delay after the fifth, which doubles from one second to at most fifteen minutes', async () => {
    for (let n = 0; n < 4; n += 1) expect((await signIn(admin.email, 'wrong')).status).toBe(401);
    expect(await delaysOf(admin.email, 12)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  it('of an unknown account are delayed in the same way', async () => {
    for (let n = 0; n < 4; n += 1) expect((await signIn('nobody@example.test', 'wrong')).status).toBe(401);
    expect(await delaysOf('nobody@example.test', 4)).toEqual([1, 2, 4, 8]);
  });

  it('refuse even the right password during the delay, and accept it afterwards', async () => {
    for (let n = 0; n < 5; n += 1) await signIn(admin.email, 'wrong');
    expect((await signIn(admin.email, PASSWORD)).status).toBe(429);
    await pass(1);
    expect((await signIn(admin.email, PASSWORD)).status).toBe(200);
  });

  it('are forgotten when the account signs in', async () => {
    for (let n = 0; n < 4; n += 1) await signIn(admin.email, 'wrong');
    expect((await signIn(admin.email, PASSWORD)).status).toBe(200);
    for (let n = 0; n < 5; n += 1) expect((await signIn(admin.email, 'wrong')).status).toBe(401);
  });

  it('are forgotten one per hour', async () => {
    for (let n = 0; n < 5; n += 1) await signIn(admin.email, 'wrong');
    await pass(3 * 3600);
    for (let n = 0; n < 3; n += 1) expect((await signIn(admin.email, 'wrong')).status).toBe(401);
    expect((await signIn(admin.email, 'wrong')).status).toBe(429);
  });

  it('are allowed at most five times when sent concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => signIn(admin.email, 'wrong')));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(25);
  });

  it('are counted across processes', async () => {
    const another = await runward.anotherApi();
    for (let n = 0; n < 5; n += 1) await signIn(admin.email, 'wrong', undefined, n % 2 ? another : undefined);
    expect((await signIn(admin.email, 'wrong', undefined, another)).status).toBe(429);
    expect((await signIn(admin.email, 'wrong')).status).toBe(429);
  });

  it('are not cleared by signing in to another tenant with the same address', async () => {
    const tenant = await runward.tenant('namesake');
    const member = { email: admin.email, name: 'Namesake', role: 'viewer', password: 'namesake password' };
    expect((await tenant.api.post('/api/members', member)).status).toBe(201);
    for (let n = 0; n < 4; n += 1) {
      expect((await signIn(admin.email, 'wrong')).status).toBe(401);
      expect((await signIn(admin.email, 'namesake password')).status).toBe(200);
      expect((await signIn(admin.email, 'namesake password', 'namesake')).status).toBe(200);
    }
    expect((await signIn(admin.email, 'wrong')).status).toBe(401);
    expect((await signIn(admin.email, 'wrong')).status).toBe(429);
  });

  it('of many accounts delay the network after the fiftieth, for any account', async () => {
    for (let n = 0; n < 50; n += 1) expect((await signIn(`guess-${n}@example.test`, 'wrong')).status).toBe(401);
    const refused = await signIn('another@example.test', 'wrong');
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    await pass(60);
    expect((await signIn(admin.email, PASSWORD)).status).toBe(200);
  });

  it('leave only hashes in the database; old rows are deleted', async () => {
    await signIn(admin.email, 'wrong');
    await pass(3 * 86_400);
    await signIn('fresh@example.test', 'wrong');
    const rows = await runward.database.query<{ bytes: number; old: boolean }>(
      `select octet_length(key) as bytes, last_failure_at < now() - interval '1 day' as old from login_throttle`,
    );
    // Rows of the account, of the network, and of both combined. Rows of the earlier account are deleted.
    expect(rows).toEqual(Array(3).fill({ bytes: 32, old: false }));
  });
});
