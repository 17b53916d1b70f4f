import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { passwordQueue, signInQueue } from '../../common/crypto/password-queue.js';

const FLOOD = 500;
const MAX_CONCURRENT = 2;
const SIGN_INS_AT_ONCE = 4;

let runward: Installation;
let admin: TestMember;

beforeAll(async () => {
  runward = await startInstallation({ RUNWARD_TRUSTED_PROXIES: 'loopback' });
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

/** Starts many concurrent sign-ins. Each uses another account, so that no delay applies. */
function startFlood(addressOf: (n: number) => string) {
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

/** Occupies all sign-in slots, so that new sign-ins wait. @returns a function that releases the slots */
async function holdSignIns(): Promise<() => void> {
  let release = () => {};
  const releasePromise = new Promise<void>((resolve) => (release = resolve));
  let heldCount = 0;
  const hold = () =>
    signInQueue.runInTurn({ key: 'the test', known: true }, () => {
      heldCount += 1;
      return releasePromise;
    });
  for (let place = 0; place < SIGN_INS_AT_ONCE; place++) void hold();
  await eventually('every place is taken', () => heldCount === SIGN_INS_AT_ONCE);
  return release;
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
])('hundreds of concurrent sign-ins from %s', (_, addressOf) => {
  it('are verified two at a time, while other requests and a sign-in from a known device proceed', async () => {
    await runward.database.query('delete from login_throttle');
    const device = /runward_device=[^;]+/.exec((await signIn('')).headers.get('set-cookie') ?? '')?.[0] ?? '';
    const release = await holdSignIns();
    const { all, finished } = startFlood(addressOf);
    await eventually('each sign-in is refused or waits', () => finished() + signInQueue.waiting === FLOOD);
    expect((await admin.api.get('/api/auth/me')).status).toBe(200);
    const waiting = signInQueue.waiting;
    expect(waiting).toBeGreaterThan(SIGN_INS_AT_ONCE);
    const login = signIn(device).then(({ status }) => ({ status, before: finished() }));
    await eventually("somebody else's sign-in waits too", () => signInQueue.waiting === waiting + 1);
    release();
    const { status, before } = await login;
    expect(status).toBe(200);
    expect(before).toBeLessThan(FLOOD);
    const answers = await all;
    const refused = answers.filter(({ status }) => status !== 401);
    for (const { status, body, headers } of refused) {
      expect([`429 too_many_at_once`, '429 too_many_attempts', '503 busy']).toContain(`${status} ${body.code}`);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(answers.length - refused.length).toBeGreaterThan(0);
    expect(passwordQueue.peak).toBe(MAX_CONCURRENT);
    expect((await signIn(device)).status).toBe(200);
  });
});
