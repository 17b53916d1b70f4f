import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, makeScene } from '../../test/support/environment-scene.js';
import { changePolicy } from '../../test/support/environment-policy.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import type { ExecutionView } from '../executions/contract/execution.view.js';
import type { EnvironmentPermissionsView } from './grants/permitted-people.view.js';
import { newId } from '../common/ids.js';

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  viewer = await runward.member(admin, 'viewer');
});
afterAll(() => runward.close());

const POLICY = {
  access: 'restricted',
  protected: true,
  requiredApprovals: 2,
  allowSelfApproval: true,
  approvalTtlSeconds: 3600,
  allowedModes: ['auto', 'dry_run'],
  hostJournal: false,
};
type Fault = { code: string; detail: string; errors?: { path: string; code: string }[] };

describe('an environment', () => {
  it('is open and unprotected unless an admin changes that', async () => {
    const { status, body } = await operator.api.post('/api/environments', { name: 'plain' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      access: 'open',
      protected: false,
      requiredApprovals: 1,
      allowSelfApproval: false,
      approvalTtlSeconds: 86_400,
      allowedModes: [],
      hostJournal: true,
      currentUserGrant: null,
    });
  });

  it('returns every field of its policy, after creation and after a change', async () => {
    const created = await admin.api.post<{ id: string }>('/api/environments', { name: 'strict', ...POLICY });
    expect(created.body).toMatchObject(POLICY);
    const changed = await admin.api.patch(`/api/environments/${created.body.id}`, {
      access: 'open',
      requiredApprovals: 3,
      allowedModes: [],
    });
    expect(changed.status).toBe(200);
    const read = await admin.api.get(`/api/environments/${created.body.id}`);
    expect(read.body).toMatchObject({ ...POLICY, access: 'open', requiredApprovals: 3, allowedModes: [] });
  });

  it.each(Object.entries(POLICY))(
    'rejects an operator who sends %s with 403, before any record is read',
    async (field, value) => {
      const created = await operator.api.post<Fault>('/api/environments', {
        name: `by operator ${field}`,
        [field]: value,
      });
      const unknown = await operator.api.patch<Fault>(`/api/environments/${newId()}`, { [field]: value });
      const malformed = await operator.api.patch<Fault>('/api/environments/no-id', { name: 'x', [field]: value });
      for (const { status, body } of [created, unknown, malformed]) {
        expect([status, body.code]).toEqual([403, 'insufficient_role']);
      }
    },
  );

  it.each([
    ['access', 'closed'],
    ['protected', 'yes'],
    ['requiredApprovals', 0],
    ['requiredApprovals', 1.5],
    ['allowSelfApproval', 1],
    ['approvalTtlSeconds', 5],
    ['allowedModes', ['auto', 'auto']],
    ['allowedModes', ['yolo']],
    ['allowedModes', 'auto'],
    ['hostJournal', 'off'],
  ])('rejects %s: %j and names the field', async (field, value) => {
    const { status, body } = await admin.api.post<Fault>('/api/environments', { name: 'never', [field]: value });
    expect([status, body.errors?.[0]?.path]).toEqual([400, `/${field}`]);
  });

  it('holds every run for approval while it is protected, even an admin’s, and allows only its modes', async () => {
    const scene = await makeScene(admin.api, { name: 'guarded', environment: { protected: true } });
    const start = { planId: scene.planId, execution_mode: 'auto' };
    for (const member of [operator, admin]) {
      const { status, body } = await member.api.post<ExecutionView>('/api/executions', start);
      expect([status, body.status, body.pause?.reason]).toEqual([201, 'PAUSED', 'APPROVAL']);
      await admin.api.post(`/api/executions/${body.id}/cancel`);
    }
    await changePolicy(admin.api, scene.environmentId, { protected: false, allowedModes: ['dry_run'] });
    expect((await operator.api.post<Fault>('/api/executions', start)).body.code).toBe('mode_not_allowed');
    await admin.api.patch(`/api/environments/${scene.environmentId}`, { allowedModes: ['auto'] });
    expect((await operator.api.post('/api/executions', start)).status).toBe(201);
  });
});

describe('grants', () => {
  let scene: EnvironmentScene;
  const path = (userId = operator.userId) => `/api/environments/${scene.environmentId}/grants/${userId}`;
  beforeAll(async () => {
    scene = await makeScene(admin.api, { name: 'granted', environment: { access: 'restricted' } });
  });

  it('can be given, changed, listed and deleted by admins, and are audited', async () => {
    const given = await admin.api.put(path(), { level: 'view' });
    expect(given).toMatchObject({
      status: 200,
      body: { level: 'view', user: { id: operator.userId, email: operator.email }, version: 1 },
    });
    expect((await admin.api.put(path(), { level: 'run' }, { 'if-match': '"7"' })).status).toBe(412);
    expect((await admin.api.put(path(), { level: 'run' }, { 'if-match': '"1"' })).body).toMatchObject({
      level: 'run',
      version: 2,
    });
    const listed = await admin.api.get<{ items: { user: { id: string }; level: string }[] }>(path('').slice(0, -1));
    expect(listed.body.items.map(({ user, level }) => [user.id, level])).toEqual([[operator.userId, 'run']]);
    expect((await operator.api.get(`/api/environments/${scene.environmentId}`)).body).toMatchObject({
      currentUserGrant: 'run',
    });
    expect((await admin.api.delete(path())).status).toBe(204);
    expect((await admin.api.delete(path())).status).toBe(404);
    const trail = await runward.database.query<{ action: string; before: object | null; after: object | null }>(
      `select action, before, after from audit_entries where resource_type = 'environment_grant' order by id`,
    );
    expect(trail.map(({ action }) => action)).toEqual(['environment.grant', 'environment.grant', 'environment.revoke']);
    expect(trail[1]).toMatchObject({ before: { level: 'view' }, after: { level: 'run' } });
  });

  it('decide who may run and approve, which every member who sees the environment can read', async () => {
    const permissions = () =>
      viewer.api.get<EnvironmentPermissionsView>(`/api/environments/${scene.environmentId}/permissions`);
    expect((await permissions()).status).toBe(404);
    expect((await admin.api.put(path(viewer.userId), { level: 'approve' })).status).toBe(200);
    const { run, approve, administer } = (await permissions()).body;
    expect([run, approve, administer].map(({ names }) => names.length)).toEqual([1, 2, 1]);
    expect([run.names, run.more, run.rule]).toEqual([
      administer.names,
      0,
      'operators with the grant "run" in "granted", and admins',
    ]);
    await admin.api.put(path(), { level: 'run' });
    expect((await permissions()).body.run.names).toHaveLength(2);
    for (const { userId } of [viewer, operator]) await admin.api.delete(path(userId));
  });

  it('are listed in pages without repetition', async () => {
    for (const member of [operator, viewer]) await admin.api.put(path(member.userId), { level: 'view' });
    const first = await admin.api.get<{ items: { user: { id: string } }[]; nextCursor: string }>(
      `${path('').slice(0, -1)}?limit=1`,
    );
    const second = await admin.api.get<typeof first.body>(
      `${path('').slice(0, -1)}?limit=1&cursor=${first.body.nextCursor}`,
    );
    expect(new Set([...first.body.items, ...second.body.items].map(({ user }) => user.id)).size).toBe(2);
    expect(second.body.nextCursor).toBeNull();
  });

  it('are rejected for members of another tenant in the same way as for unknown ids', async () => {
    const stranger = await runward.tenant('other');
    const answers = await Promise.all(
      [stranger.userId, newId(), 'no-id'].map((id) => admin.api.put<Fault>(path(id), { level: 'run' })),
    );
    expect(answers.map(({ status, body }) => [status, body.code, body.detail])).toEqual(
      Array(3).fill([404, 'not_found', 'The record does not exist, or you cannot see it.']),
    );
    expect((await stranger.api.put(path(stranger.userId), { level: 'approve' })).status).toBe(404);
  });

  it('reject other levels and unknown fields', async () => {
    expect((await admin.api.put<Fault>(path(), { level: 'own' })).status).toBe(400);
    expect((await admin.api.put<Fault>(path(), { level: 'run', until: 'x' })).body.errors?.[0]?.path).toBe('/until');
  });

  it('are deleted with their member and with their environment', async () => {
    const brief = await admin.api.post<{ id: string }>('/api/environments', { name: 'brief', access: 'restricted' });
    await admin.api.put(`/api/environments/${brief.body.id}/grants/${viewer.userId}`, { level: 'view' });
    await admin.api.delete(`/api/environments/${brief.body.id}`);
    await runward.database.query('delete from users where id = $1', [operator.userId]);
    const left = await runward.database.query(
      'select 1 from environment_grants where environment_id = $1 or user_id = $2',
      [brief.body.id, operator.userId],
    );
    expect(left).toEqual([]);
  });
});
