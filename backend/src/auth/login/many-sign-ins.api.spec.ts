import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { passwordQueue } from '../../common/crypto/password-queue.js';

const FLOOD = 500;
/** Half of the threads that Node.js has unless told otherwise. */
const AT_ONCE = 2;

let runward: Installation;
let admin: TestMember;

beforeAll(async () => {
  runward = await startInstallation({ RUNWARD_TRUSTED_PROXIES: 'loopback' });
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

/** Sign-ins all at once, each for another account, so that no delay stops them. */
function flood(addressOf: (n: number) => string) {
  let finished = 0;
  const all = Array.from({ length: FLOOD }, async (_, n) => {
    const body = { email: `flood-${n}@example.test`, password: 'guess' };
    const answer = await runward.anonymous.post<{ code: string }>('/api/auth/login', body, {
      'x-forwarded-for': addressOf(n),
    });
    finished += 1;
    return answer;
  });
  return { all: Promise.all(all), finished: () => finished };
}

const signIn = (cookie: string) =>
  runward.anonymous.post(
    '/api/auth/login',
    { email: admin.email, password: PASSWORD },
    { 'x-forwarded-for': '198.51.100.9', cookie },
  );

describe.each([
  ['one network', () => '203.0.113.5'],
  ['many networks', (n: number) => `10.1.${n % 250}.1`],
])('hundreds of sign-ins at once from %s', (_, addressOf) => {
  it('are checked two at a time, and neither other requests nor somebody else signing in waits for them all', async () => {
    await runward.database.query('delete from login_throttle');
    const device = /runward_device=[^;]+/.exec((await signIn('')).headers.get('set-cookie') ?? '')?.[0] ?? '';
    const { all, finished } = flood(addressOf);
    const [me, login] = await Promise.all([
      admin.api.get('/api/auth/me').then(({ status }) => ({ status, before: finished() })),
      signIn(device).then(({ status }) => ({ status, before: finished() })),
    ]);
    expect([me.status, login.status]).toEqual([200, 200]);
    expect(Math.max(me.before, login.before)).toBeLessThan(FLOOD);
    const answers = await all;
    const refused = answers.filter(({ status }) => status !== 401);
    for (const { status, body, headers } of refused) {
      expect([`429 too_many_at_once`, '429 too_many_attempts', '503 busy']).toContain(`${status} ${body.code}`);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(answers.length - refused.length).toBeGreaterThan(0);
    expect(passwordQueue.peak).toBe(AT_ONCE);
    // Nothing is left behind: the next one is served.
    expect((await signIn(device)).status).toBe(200);
  });
});
