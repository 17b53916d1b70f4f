import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Answer } from '../../../test/support/api-client.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../../test/support/installation.js';

type Problem = { code?: string; requestId?: string };

const LONG_MS = 240_000;
const settings = { RUNWARD_TRUSTED_PROXIES: 'loopback', RUNWARD_RATE_LIMIT_PER_MINUTE: '6000' };
const SIGN_INS_A_MINUTE = 60;

let runward: Installation;
let admin: TestMember;
let owner: TestMember;
let device: string;
/** Address of the owner. Each test uses another network, because sign-ins per address are limited. */
let home: string;
let homes = 0;

beforeAll(async () => {
  runward = await startInstallation(settings);
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());
beforeEach(async () => {
  await runward.database.query('delete from login_throttle');
  owner = await runward.member(admin, 'viewer');
  // The installation signed the member in from its own address, which must not count as known here.
  await runward.database.query('delete from known_places');
  homes += 1;
  home = `198.51.${homes}.7`;
  device = deviceOf(await signIn({ from: home }));
});

interface Attempt {
  from: string;
  email?: string;
  password?: string;
  cookie?: string;
  tenant?: string;
}

const signIn = ({ from, email = owner.email, password = PASSWORD, cookie, tenant }: Attempt) =>
  runward.anonymous.post<Problem>(
    '/api/auth/login',
    { email, password, tenant },
    { 'x-forwarded-for': from, ...(cookie ? { cookie } : {}) },
  );

const deviceOf = (answer: Answer): string =>
  /runward_device=[^;]+/.exec(answer.headers.get('set-cookie') ?? '')?.[0] ?? '';
const retryAfterSeconds = (answer: Answer): number => Number(answer.headers.get('retry-after'));
const siteAddress = (n: number): string => `10.${n >> 8}.${n & 255}.1`;

const pass = (seconds: number) =>
  runward.database.query(
    `update login_throttle set last_failure_at = last_failure_at - make_interval(secs => $1),
      blocked_until = blocked_until - make_interval(secs => $1), slot_at = slot_at - make_interval(secs => $1)`,
    [seconds],
  );

/** Extends running delays: the first delay is only one second and could end before the next request. */
const hold = () =>
  runward.database.query(
    `update login_throttle set blocked_until = now() + interval '900 seconds' where failures >= 5 and owner is not null`,
  );

function attack(addresses: readonly string[]) {
  let isRunning = true;
  const answers: number[] = [];
  const guess = async (offset: number): Promise<void> => {
    for (let n = offset; isRunning; n += 2) {
      const from = addresses[n % addresses.length] as string;
      answers.push((await signIn({ from, password: `guess-${n}` })).status);
    }
  };
  const all = Promise.all([0, 1].map(guess));
  return {
    answers,
    stop: async () => {
      isRunning = false;
      await all;
    },
  };
}

/**
 * Makes 45 sign-ins with the right password during an attack. @returns number of refused sign-ins, and whether a guess
 * succeeded
 */
async function signInDuring(addresses: readonly string[], attempt: Attempt) {
  const attacker = attack(addresses);
  const statuses: number[] = [];
  try {
    while (attacker.answers.filter((status) => status === 429).length < 5) await new Promise(setImmediate);
    for (let n = 0; n < 45; n += 1) statuses.push((await signIn(attempt)).status);
  } finally {
    await attacker.stop();
  }
  return { refused: statuses.filter((status) => status !== 200).length, guessed: attacker.answers.includes(200) };
}

describe('the owner of an account under a continuous guessing attack', () => {
  const many = Array.from({ length: 40 }, (_, n) => siteAddress(n));

  it(
    "signs in from a known device anywhere, even at an attacker's address",
    async () => {
      const elsewhere = '203.0.113.9';
      expect(await signInDuring([...many, elsewhere], { from: elsewhere, cookie: device })).toEqual({
        refused: 0,
        guessed: false,
      });
    },
    LONG_MS,
  );

  it(
    'signs in from a known address without cookies, even with attackers in the same network',
    async () => {
      const neighbourAddresses = Array.from({ length: 9 }, (_, n) => `198.51.${homes}.${n + 10}`);
      expect(await signInDuring([...neighbourAddresses, ...many], { from: home })).toEqual({
        refused: 0,
        guessed: false,
      });
    },
    LONG_MS,
  );

  it('signs in from a known device after attackers at the same address used its sign-ins of the minute', async () => {
    const shared = '203.0.113.77';
    const statuses: (string | undefined)[] = [];
    for (let n = 0; n < SIGN_INS_A_MINUTE + 3; n += 1)
      statuses.push((await signIn({ from: shared, password: 'guess', email: `g${n}@example.test` })).body.code);
    expect(statuses.at(-1)).toBe('rate_limited');
    expect((await signIn({ from: shared, cookie: device })).status).toBe(200);
  });

  it('changes the password during the attack', async () => {
    for (let n = 0; n < 30; n += 1) await signIn({ from: siteAddress(n), password: 'guess' });
    const login = await signIn({ from: home, cookie: device });
    const cookie = `${/runward_session=[^;]+/.exec(login.headers.get('set-cookie') ?? '')?.[0]}; ${device}`;
    const changed = await runward.anonymous.post(
      '/api/auth/password',
      { currentPassword: PASSWORD, newPassword: 'another password of mine' },
      { cookie, 'x-forwarded-for': home },
    );
    expect(changed.status).toBe(204);
    expect((await signIn({ from: siteAddress(5), cookie: device, password: 'another password of mine' })).status).toBe(
      200,
    );
  });

  it('signs in from a new device after a bounded wait', async () => {
    let guesses = 0;
    for (let n = 0; n < 60; n += 1)
      guesses += (await signIn({ from: siteAddress(n), password: 'guess' })).status === 401 ? 1 : 0;
    const refused = await signIn({ from: '192.0.2.50' });
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
    // The wait is one second for each network that came before.
    expect(retryAfterSeconds(refused)).toBeLessThanOrEqual(60 - guesses + 1);
    await pass(retryAfterSeconds(refused));
    const begun = performance.now();
    const more: number[] = [];
    for (let n = 60; n < 90; n += 1) more.push((await signIn({ from: siteAddress(n), password: 'guess' })).status);
    // Another slot begins each second, even if a slow machine takes long to send the requests.
    const turns = more.filter((status) => status !== 429).length;
    expect(turns).toBeLessThanOrEqual((performance.now() - begun) / 1000);
    expect((await signIn({ from: '192.0.2.50' })).status).toBe(200);
  });

  it('waits at most fifteen minutes for it, regardless of the number of attacking networks', async () => {
    for (let n = 0; n < 30; n += 1) await signIn({ from: siteAddress(n), password: 'guess' });
    // Simulates a thousand waiting networks by moving the last slot that far into the future.
    await runward.database.query(
      `update login_throttle set blocked_until = now() + interval '1000 seconds' where owner is null and failures >= 20`,
    );
    const refused = await signIn({ from: '192.0.2.51' });
    expect(retryAfterSeconds(refused)).toBeGreaterThan(890);
    expect(retryAfterSeconds(refused)).toBeLessThanOrEqual(900);
    await pass(retryAfterSeconds(refused));
    expect((await signIn({ from: '192.0.2.51' })).status).toBe(200);
  });

  it('signs in with the browser that used a set-password link', async () => {
    for (let n = 0; n < 30; n += 1) await signIn({ from: siteAddress(n), password: 'guess' });
    const link = await admin.api.post<{ setPasswordPath: string }>(`/api/members/${owner.userId}/password-link`);
    const secret = link.body.setPasswordPath.split('#')[1];
    const used = await runward.anonymous.post('/api/auth/set-password', { secret, password: 'set by a link, long' });
    expect(used.status).toBe(204);
    for (let n = 100; n < 130; n += 1) await signIn({ from: siteAddress(n), password: 'guess' });
    const next = { password: 'set by a link, long', from: '192.0.2.52' };
    expect((await signIn(next)).status).toBe(429);
    expect((await signIn({ ...next, cookie: deviceOf(used) })).status).toBe(200);
  });
});

describe('guesses', () => {
  /**
   * Guesses in waves from many networks, with a delay between waves. @returns number of guesses whose password was
   * verified
   */
  async function checked(waves: number, seconds: number, attempt: Partial<Attempt> = {}): Promise<number> {
    let count = 0;
    for (let wave = 0; wave < waves; wave += 1) {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => signIn({ from: siteAddress(n), password: 'guess', ...attempt })),
      );
      count += answers.filter(({ status }) => status === 401).length;
      await pass(seconds);
    }
    return count;
  }

  it('from many networks are verified at one a second in total after the first twenty', async () => {
    const from = performance.now();
    const count = await checked(6, 5);
    expect(count).toBeGreaterThan(20);
    expect(count).toBeLessThanOrEqual(20 + 6 * 5 + Math.ceil((performance.now() - from) / 1000) + 1);
  });

  it('get the same answers for an existing and an unknown account', async () => {
    const courses = [];
    for (const email of [owner.email, 'nobody@example.test']) {
      await runward.database.query('delete from login_throttle');
      const course: unknown[] = [];
      for (let n = 0; n < 40; n += 1) {
        const { status, headers, body } = await signIn({
          from: siteAddress(n % 30),
          password: 'guess',
          email,
          cookie: device && undefined,
        });
        const names = [...headers.keys()].filter((name) => name !== 'date' && name !== 'content-length');
        course.push([status, body.code, names]);
        if (n % 10 === 9) await pass(3);
      }
      courses.push(course);
    }
    expect(courses[0]).toEqual(courses[1]);
    expect(new Set((courses[0] as [number][]).map(([status]) => status))).toEqual(new Set([401, 429]));
  });

  it('with a known device count against that device only', async () => {
    const stolenDevice = { cookie: device, from: '203.0.113.20', password: 'guess' };
    for (let n = 0; n < 5; n += 1) expect((await signIn(stolenDevice)).status).toBe(401);
    await hold();
    for (let n = 0; n < 3; n += 1) expect((await signIn({ ...stolenDevice, from: siteAddress(n) })).status).toBe(429);
    expect((await signIn({ from: home })).status).toBe(200);
  });

  it('do not benefit from a forged, altered or foreign cookie', async () => {
    const other = await runward.member(admin, 'viewer');
    const foreign = deviceOf(await signIn({ from: '203.0.113.30', email: other.email }));
    const [secret = '', mac = ''] = device.replace('runward_device=', '').split('.');
    const cookies = [
      foreign,
      `runward_device=${secret}`,
      `runward_device=${secret}.`,
      `runward_device=.${mac}`,
      `runward_device=${secret}.${mac}.${mac}`,
      `runward_device=${secret.slice(1)}A.${mac}`,
      `runward_device=${secret}.${'A'.repeat(mac.length)}`,
    ];
    for (let n = 0; n < 5; n += 1) await signIn({ from: '203.0.113.40', password: 'guess' });
    await hold();
    for (const cookie of cookies) {
      const answer = await signIn({ from: '203.0.113.40', password: 'guess', cookie });
      expect({ cookie, code: answer.body.code }).toEqual({ cookie, code: 'too_many_attempts' });
    }
  });
});

describe('known devices', () => {
  const rows = (kind: string) =>
    runward.database.query<{ key: Buffer }>('select key from known_places where user_id = $1 and kind = $2', [
      owner.userId,
      kind,
    ]);

  it('are stored as hashes, with a cookie that only the sign-in path receives and scripts cannot read', async () => {
    const answer = await signIn({ from: home, cookie: device });
    const all = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('runward_device='));
    expect(all).toMatch(/; Path=\/api\/auth; .*HttpOnly; SameSite=Strict$/);
    const [storedDevice] = await rows('device');
    expect(device).not.toContain(storedDevice?.key.toString('base64url') ?? 'none');
    expect(await rows('device')).toHaveLength(1);
  });

  it('are limited in number; those used again are kept', async () => {
    await signIn({ from: home, cookie: device });
    for (let n = 0; n < 25; n += 1) expect((await signIn({ from: home })).status).toBe(200);
    expect(await rows('device')).toHaveLength(20);
    for (let n = 0; n < 5; n += 1) await signIn({ from: home, cookie: device, password: 'guess' });
    await hold();
    // The device has a separate counter, so its failures do not delay the network.
    expect((await signIn({ from: '203.0.113.50' })).status).toBe(200);
    expect((await signIn({ from: home, cookie: device })).body.code).toBe('too_many_attempts');
  });

  it('are deleted with the member', async () => {
    expect((await rows('device')).length + (await rows('network')).length).toBe(2);
    expect((await admin.api.delete(`/api/members/${owner.userId}`)).status).toBe(204);
    expect([...(await rows('device')), ...(await rows('network'))]).toEqual([]);
  });

  it('expire, and are deleted when the password is changed elsewhere', async () => {
    await runward.database.query(`update known_places set last_used_at = last_used_at - interval '181 days'`);
    for (let n = 0; n < 5; n += 1) await signIn({ from: '203.0.113.60', password: 'guess' });
    await hold();
    expect((await signIn({ from: '203.0.113.60', cookie: device })).status).toBe(429);
    device = deviceOf(await signIn({ from: home }));
    expect((await signIn({ from: '203.0.113.60', cookie: device })).status).toBe(200);
    const token = { authorization: `Bearer ${owner.token}`, 'x-forwarded-for': '203.0.113.61' };
    const change = { currentPassword: PASSWORD, newPassword: 'changed from elsewhere' };
    expect((await runward.anonymous.post('/api/auth/password', change, token)).status).toBe(204);
    expect([...(await rows('device')), ...(await rows('network'))]).toEqual([]);
  });
});
