import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { made } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import type { EnvironmentView } from '../environments.view.js';
import type { ProtectionChangeView } from '../protection/protection-changes.view.js';

let runward: Installation;
let admin: TestMember;
let second: TestMember;
let operator: TestMember;
let path: string;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant();
  second = await runward.member(admin, 'admin');
  operator = await runward.member(admin, 'operator');
});
afterAll(() => runward.close());

const STRICT_POLICY = { protected: true, requiredApprovals: 2, unknownAuthors: 'refuse', protectionDelaySeconds: 7200 };
beforeEach(async () => {
  numbered += 1;
  const id = await made(admin.api.post('/api/environments', { name: `live ${numbered}`, ...STRICT_POLICY }));
  path = `/api/environments/${id}`;
});

type ChangeAnswer = ProtectionChangeView & { code: string; detail: string };
const request = (body: object, { api }: TestMember = admin) =>
  api.post<ChangeAnswer>(`${path}/protection-changes`, { reason: 'we move', ...body });
const decide = (id: string, what: 'agree' | 'reject', { api }: TestMember, body = {}) =>
  api.post<ChangeAnswer>(`${path}/protection-changes/${id}/${what}`, body);
const environment = async () => (await admin.api.get<EnvironmentView>(path)).body;
const changes = async () =>
  (await admin.api.get<{ items: ProtectionChangeView[] }>(`${path}/protection-changes`)).body.items;
const trail = async () => {
  const { items } = (
    await admin.api.get<{ items: { action: string }[] }>(`/api/audit-logs?resourceId=${path.split('/').at(-1)}`)
  ).body;
  return items.map(({ action }) => action).reverse();
};
const later = async (id: string, interval: string) => {
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
  await runward.database.query(
    `update protection_changes set requested_at = requested_at - $2::interval, effective_at = effective_at - $2::interval,
        expires_at = expires_at - $2::interval where id = $1`,
    [id, interval],
  );
};
const WEAKER_SETTINGS = [
  { protected: false },
  { requiredApprovals: 1 },
  { allowSelfApproval: true },
  { unknownAuthors: 'show' },
  { protectionDelaySeconds: 3600 },
];

describe('weakening the protection of an environment', () => {
  it.each(WEAKER_SETTINGS)('by %j needs a second person, who must be another approver', async (settings) => {
    const refused = await admin.api.patch<ChangeAnswer>(path, settings);
    expect([refused.status, refused.body.code]).toEqual([409, 'protection_change_required']);
    const { status, body } = await request({ settings });
    expect([status, body.state, body.effectiveAt, body.currentUserCanAgree]).toEqual([201, 'open', null, false]);
    const own = await decide(body.id, 'agree', admin);
    expect([own.status, own.body.code, own.body.detail]).toEqual([
      403,
      'second_person_required',
      'You requested this change, so another approver has to agree.',
    ]);
    const without = await decide(body.id, 'agree', operator);
    expect([without.status, without.body.code]).toEqual([403, 'grant_required']);
    expect(await environment()).toMatchObject(STRICT_POLICY);
    const agreed = await decide(body.id, 'agree', second, { comment: 'yes' });
    expect([agreed.status, agreed.body]).toEqual([
      200,
      expect.objectContaining({
        state: 'applied',
        comment: 'yes',
        decidedBy: expect.objectContaining({ id: second.userId }),
      }),
    ]);
    expect(await environment()).toMatchObject({ ...STRICT_POLICY, ...settings, protectionOverride: null });
    expect(await trail()).toEqual([
      ...['environment.create', 'environment.protection_request', 'environment.update'],
      'environment.protection_applied',
    ]);
    const again = await decide(body.id, 'agree', second);
    expect([again.status, again.body.code]).toEqual([409, 'protection_change_closed']);
  });

  it('does not include strengthening it, or changes of an open environment', async () => {
    const strongerSettings = { requiredApprovals: 3, protectionDelaySeconds: 7201, allowSelfApproval: false };
    expect((await admin.api.patch(path, strongerSettings)).status).toBe(200);
    const { status, body } = await request({ settings: { requiredApprovals: 4 } });
    expect([status, body.code]).toEqual([409, 'protection_not_weakened']);
    const open = await made(admin.api.post('/api/environments', { name: `open ${numbered}` }));
    expect((await admin.api.patch(`/api/environments/${open}`, { allowSelfApproval: true })).status).toBe(200);
  });

  it('can be rejected by another approver, withdrawn by its requester, and requested only once at a time', async () => {
    const first = await request({ settings: { protected: false } });
    const secondRequest = await request({ settings: { requiredApprovals: 1 } });
    expect([secondRequest.status, secondRequest.body.code]).toEqual([409, 'protection_change_open']);
    expect((await decide(first.body.id, 'reject', second)).body.state).toBe('rejected');
    const next = await request({ settings: { protected: false } });
    expect((await decide(next.body.id, 'reject', admin)).body.state).toBe('withdrawn');
    expect((await changes()).map(({ state }) => state)).toEqual(['withdrawn', 'rejected']);
    expect(await environment()).toMatchObject(STRICT_POLICY);
  });

  it('expires after seven days, and then allows another request', async () => {
    const { body } = await request({ settings: { protected: false } });
    await later(body.id, '8 days');
    const lateDecision = await decide(body.id, 'agree', second);
    expect([lateDecision.status, lateDecision.body.code]).toEqual([409, 'protection_change_closed']);
    expect((await request({ settings: { protected: false } })).status).toBe(201);
    expect((await changes()).map(({ state }) => state)).toEqual(['open', 'expired']);
  });

  it('cannot be agreed to after the setting was changed', async () => {
    const { body } = await request({ settings: { requiredApprovals: 1 } });
    expect((await admin.api.patch(path, { requiredApprovals: 5 })).status).toBe(200);
    const { status, body: refusal } = await decide(body.id, 'agree', second);
    expect([status, refusal.code]).toEqual([409, 'protection_change_closed']);
    expect((await environment()).requiredApprovals).toBe(5);
  });

  it('can be requested only by admins', async () => {
    const { status, body } = await request({ settings: { protected: false } }, operator);
    expect([status, body.code]).toEqual([403, 'insufficient_role']);
    expect((await request({})).status).toBe(400);
  });
});

describe('the second person', () => {
  const member = async (by: TestMember, name: string, role = 'admin') => {
    const email = `${name}-${numbered}@example.test`;
    const id = await made(by.api.post('/api/members', { email, name, role, password: 'correct horse battery' }));
    const login = await runward.anonymous.post('/api/auth/login', { email, password: 'correct horse battery' });
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    return { userId: id, cookie };
  };
  const agreedBy = async (id: string, { cookie }: { cookie: string }) => {
    const url = `${path}/protection-changes/${id}/agree`;
    return runward.anonymous.post<ChangeAnswer>(url, {}, { cookie });
  };

  it('is never a member who got approval rights from the requester within seven days, or who gave them to the requester', async () => {
    const createdMember = await member(admin, 'puppet');
    const { body } = await request({ settings: { protected: false } });
    const refused = await agreedBy(body.id, createdMember);
    expect([refused.status, refused.body.code]).toEqual([403, 'second_person_required']);
    await decide(body.id, 'reject', admin);
    const url = `${path}/protection-changes`;
    const asked = await runward.anonymous.post<ChangeAnswer>(
      url,
      { reason: 'x', settings: { protected: false } },
      { cookie: createdMember.cookie },
    );
    expect(asked.status).toBe(201);
    expect((await decide(asked.body.id, 'agree', admin)).body.code).toBe('second_person_required');
    const other = await member(admin, 'other');
    expect((await agreedBy(asked.body.id, other)).body.code).toBe('second_person_required');
    expect(await environment()).toMatchObject(STRICT_POLICY);
    expect((await decide(asked.body.id, 'agree', second)).body.state).toBe('applied');
  });

  it('can be the requester alone after the delay, if no other approver is independent', async () => {
    const singleAdminTenant = await runward.tenant();
    const id = await made(singleAdminTenant.api.post('/api/environments', { name: 'live', ...STRICT_POLICY }));
    path = `/api/environments/${id}`;
    await member(singleAdminTenant, 'puppet');
    const { body } = await request({ settings: { protected: false } }, singleAdminTenant);
    const wait = new Date(body.effectiveAt ?? '').getTime() - new Date(body.requestedAt).getTime();
    expect(wait).toBe(STRICT_POLICY.protectionDelaySeconds * 1000);
    expect((await decide(body.id, 'agree', singleAdminTenant)).body.detail).toMatch(/You can apply it from .* on/);
    await runward.database.query(`select set_config('app.tenant', $1, false)`, [singleAdminTenant.tenantId]);
    await runward.database.query(`update protection_changes set effective_at = now() where id = $1`, [body.id]);
    expect((await decide(body.id, 'agree', singleAdminTenant)).body.state).toBe('applied');
    expect((await singleAdminTenant.api.get(path)).body).toMatchObject({ protected: false });
  });
});

describe('the list of open changes of all environments', () => {
  const waitingFor = async (api: TestMember['api']) => {
    const { body } = await api.get<{ items: ProtectionChangeView[] }>('/api/protection-changes?awaiting=me');
    return body.items.map(({ id, environmentName, currentUserCanAgree }) => [id, environmentName, currentUserCanAgree]);
  };

  it('lists a change only for approvers who can agree to it', async () => {
    const { body } = await request({ settings: { protected: false } });
    const entry = [body.id, `live ${numbered}`, true];
    expect(await waitingFor(second.api)).toContainEqual(entry);
    expect(await waitingFor(admin.api)).not.toContainEqual(entry);
    expect(await waitingFor(operator.api)).toEqual([]);
    const all = await operator.api.get<{ items: ProtectionChangeView[] }>('/api/protection-changes');
    expect(all.body.items).toContainEqual(
      expect.objectContaining({
        id: body.id,
        currentUserCanAgree: false,
        currentUserObstacle: expect.objectContaining({ text: expect.any(String) }),
      }),
    );
    await decide(body.id, 'reject', second);
    expect(await waitingFor(second.api)).not.toContainEqual(entry);
  });

  it('leaves out approvers who are tied to the requester', async () => {
    const createdMember = await runward.member(admin, 'operator');
    expect((await admin.api.patch(`/api/members/${createdMember.userId}`, { role: 'admin' })).status).toBe(200);
    const { body } = await request({ settings: { protected: false } });
    expect((await decide(body.id, 'agree', createdMember)).body.code).toBe('second_person_required');
    expect(await waitingFor(createdMember.api)).toEqual([]);
    await decide(body.id, 'reject', admin);
  });

  it('lists a change for its requester once the delay is over, until it expires', async () => {
    const singleAdminTenant = await runward.tenant();
    const id = await made(singleAdminTenant.api.post('/api/environments', { name: 'live', ...STRICT_POLICY }));
    path = `/api/environments/${id}`;
    const { body } = await request({ settings: { protected: false } }, singleAdminTenant);
    expect(await waitingFor(singleAdminTenant.api)).toEqual([]);
    await runward.database.query(`select set_config('app.tenant', $1, false)`, [singleAdminTenant.tenantId]);
    await runward.database.query(`update protection_changes set effective_at = now() where id = $1`, [body.id]);
    expect(await waitingFor(singleAdminTenant.api)).toEqual([[body.id, 'live', true]]);
    await runward.database.query(`update protection_changes set expires_at = now() where id = $1`, [body.id]);
    expect(await waitingFor(singleAdminTenant.api)).toEqual([]);
  });

  it('hides changes of environments that are hidden from the caller', async () => {
    expect((await admin.api.patch(path, { access: 'restricted' })).status).toBe(200);
    const { body } = await request({ settings: { protected: false } });
    const { body: list } = await operator.api.get<{ items: ProtectionChangeView[] }>('/api/protection-changes');
    expect(list.items.map((item) => item.id)).not.toContain(body.id);
  });
});

describe('an emergency override', () => {
  it('takes effect at once, is audited as override and listed for seven days', async () => {
    const refused = await request({ settings: { protected: false }, override: true }, operator);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_role']);
    const { body } = await request({ settings: { requiredApprovals: 1 }, override: true });
    expect(body).toMatchObject({ state: 'applied', override: true });
    const override = {
      by: { name: 'Admin 1' },
      reason: 'we move',
      settings: [{ setting: 'requiredApprovals', from: 2, to: 1 }],
    };
    expect(await environment()).toMatchObject({ requiredApprovals: 1, protectionOverride: override });
    expect(await trail()).toContain('environment.protection_override');
    await later(body.id, '8 days');
    expect((await environment()).protectionOverride).toBeNull();
  });
});
