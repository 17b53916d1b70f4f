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
    const answer = await runward.anonymous.post('/api/auth/login', { email: admin.email.toUpperCase(), password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ email: admin.email, role: 'admin', tenant: { name: 'acme' }, via: 'session' });
    expect(answer.headers.get('set-cookie')).toMatch(/^runward_session=[^;]+; .*HttpOnly; SameSite=Strict$/);
  });
});
