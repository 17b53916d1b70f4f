import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../test/support/installation.js';

let runward: Installation;
let admin: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

describe('signing in', () => {
  it('answers who the caller is and sets a cookie that scripts cannot read', async () => {
    const answer = await runward.anonymous.post('/api/auth/login', {
      email: admin.email.toUpperCase(),
      password: PASSWORD,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ email: admin.email, role: 'admin', tenant: { name: 'acme' }, via: 'session' });
    expect(answer.headers.get('set-cookie')).toMatch(/^runward_session=[^;]+; .*HttpOnly; SameSite=Strict$/);
  });

  it('refuses a wrong password, a stranger and a disabled member in the same words, and no sooner for a stranger', async () => {
    const disabled = await runward.member(admin, 'viewer');
    await admin.api.patch(`/api/members/${disabled.userId}`, { disabled: true });
    const attempts = [
      { email: admin.email, password: 'wrong' },
      { email: 'stranger@example.test', password: PASSWORD },
      { email: disabled.email, password: PASSWORD },
      { email: admin.email, password: PASSWORD, tenant: 'no such tenant' },
    ];
    for (const attempt of attempts) {
      const from = performance.now();
      const answer = await runward.anonymous.post<{ requestId: string }>('/api/auth/login', attempt);
      // Timers may be a millisecond early.
      expect(performance.now() - from).toBeGreaterThan(98);
      expect(answer.status).toBe(401);
      expect({ ...answer.body, requestId: '' }).toEqual({
        type: 'about:blank',
        title: 'Unauthorized',
        status: 401,
        code: 'login_failed',
        detail: 'E-mail address or password is wrong.',
        requestId: '',
      });
    }
  });

  it('asks a member of several tenants for the name of one', async () => {
    const other = await runward.tenant('other');
    const twin = { email: admin.email, name: 'Twin', role: 'viewer', password: PASSWORD };
    await other.api.post('/api/members', twin);
    const login = { email: admin.email, password: PASSWORD };
    expect(await runward.anonymous.post('/api/auth/login', login)).toMatchObject({
      status: 409,
      body: { code: 'tenant_required' },
    });
    expect(await runward.anonymous.post('/api/auth/login', { ...login, tenant: 'OTHER' })).toMatchObject({
      status: 200,
      body: { role: 'viewer', tenant: { name: 'other' } },
    });
  });
});
