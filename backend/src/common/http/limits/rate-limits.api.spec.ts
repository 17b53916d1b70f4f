import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient } from '../../../../test/support/api-client.js';
import {
  type Installation,
  PASSWORD,
  startInstallation,
  type TestMember,
} from '../../../../test/support/installation.js';

const LIMIT = 40;
/** Minimum quota of guessable routes, because one hundredth of the limit is below it. */
const SIGN_IN_LIMIT = 10;

let runward: Installation;
let admin: TestMember;

beforeAll(async () => {
  runward = await startInstallation({ RUNWARD_RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  admin = await runward.tenant();
});
afterAll(() => runward.close());

const remaining = (headers: Headers) => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]);

describe('rate limits', () => {
  it('report policy and remaining requests in the standard headers, also on refusals', async () => {
    const first = await admin.api.get('/api/auth/me');
    expect(first.headers.get('ratelimit-policy')).toBe(`"default";q=${LIMIT};w=60`);
    expect(first.headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=([1-9]|[1-5]\d|60)$/);
    const second = await admin.api.get('/api/environments/none');
    expect(second.status).toBe(404);
    expect(remaining(second.headers)).toBe(remaining(first.headers) - 1);
  });

  it('refuse a member who exceeds the limit with all credentials together, and no other member', async () => {
    const member = await runward.member(admin, 'viewer');
    const made = await member.api.post<{ token: string }>('/api/tokens', { name: 'second' });
    const both = [member.api, apiClient(runward.url, { token: made.body.token })];
    const answers = await Promise.all(
      Array.from({ length: LIMIT + 5 }, (_, n) => (both[n % 2] as TestMember['api']).get('/api/auth/me')),
    );
    const refused = answers.filter((answer) => answer.status === 429);
    // Creating the tokens used two requests.
    expect(refused).toHaveLength(7);
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(remaining(headers)).toBe(0);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('content-type')).toMatch('application/problem+json');
    }
    expect((await admin.api.get('/api/auth/me')).status).toBe(200);
  });

  it('apply before authorisation, but after authentication', async () => {
    const member = await runward.member(admin, 'viewer');
    const statuses = [];
    for (let n = 0; n < LIMIT; n += 1) statuses.push((await member.api.get('/api/members')).status);
    expect(new Set(statuses)).toEqual(new Set([403, 429]));
    expect((await runward.anonymous.get('/api/members')).status).toBe(401);
  });

  it('are smaller for sign-ins, per network, and do not count for other routes', async () => {
    const statuses = [];
    for (let n = 0; n < SIGN_IN_LIMIT + 1; n += 1) {
      const attempt = await runward.anonymous.post('/api/auth/login', { email: admin.email, password: PASSWORD });
      expect(attempt.headers.get('ratelimit-policy')).toBe(`"sign-in";q=${SIGN_IN_LIMIT};w=60`);
      statuses.push(attempt.status);
    }
    expect(statuses.at(-1)).toBe(429);
    expect((await runward.anonymous.get('/api/health/live')).status).toBe(200);
    expect((await admin.api.get('/api/auth/me')).status).toBe(200);
  });
});
