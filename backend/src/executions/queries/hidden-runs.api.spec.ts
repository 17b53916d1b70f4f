import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { comparable, type EnvironmentScene, made, makeScene } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { newId } from '../../common/ids.js';

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
/** Restricted environment, in which the operator has no grant unless a test adds one. */
let hidden: EnvironmentScene;
/** Open environment. Its server has the same address as the server of the restricted one. */
let open: EnvironmentScene;
let hiddenRun: string;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  hidden = await makeScene(admin.api, { name: 'vault', environment: { access: 'restricted' }, hostname: '127.0.0.9' });
  open = await makeScene(admin.api, { name: 'field', keyId: hidden.keyId, hostname: '127.0.0.9' });
  hiddenRun = await made(admin.api.post('/api/executions', { planId: hidden.planId, execution_mode: 'auto' }));
});
afterAll(() => runward.close());

const grants = () => `/api/environments/${hidden.environmentId}/grants/${operator.userId}`;
const start = (planId: string, more: object = {}) =>
  operator.api.post<Refusal>('/api/executions', { planId, execution_mode: 'auto', ...more });
interface Refusal {
  code: string;
  detail: string;
  conflicts?: { executionId: string; planName: string }[];
  hiddenConflicts?: number;
  referrers?: { id: string }[];
  hiddenReferrers?: number;
}

describe('an invisible environment', () => {
  it('is counted, not named, when the guard refuses a start because of its run', async () => {
    const refused = await start(open.planId);
    expect([refused.status, refused.body.code]).toEqual([409, 'run_overlap']);
    expect(refused.body).toMatchObject({ conflicts: [], hiddenConflicts: 1 });
    expect(refused.text).not.toMatch(/vault/);
    expect(refused.text).not.toContain(hiddenRun);
    const [entry] = await runward.database.query<{ after: { conflicts: { executionId: string }[]; total: number } }>(
      `select after from audit_entries where action = 'execution.refuse' order by id desc limit 1`,
    );
    expect(entry?.after).toMatchObject({ conflicts: [{ executionId: hiddenRun }], total: 1 });
  });

  it('names its run in the same refusal for a member with a grant', async () => {
    await admin.api.put(grants(), { level: 'view' });
    const refused = await start(open.planId);
    expect(refused.body).toMatchObject({
      conflicts: [{ executionId: hiddenRun, planName: 'vault plan', sharedHosts: ['vault-1'] }],
      hiddenConflicts: 0,
    });
    await admin.api.delete(grants());
  });

  it('answers a start in it like a start in an unknown environment', async () => {
    const [body, random] = [
      await start(open.planId, { environmentId: hidden.environmentId }),
      await start(open.planId, { environmentId: newId() }),
    ];
    expect(comparable(body)).toEqual(comparable(random));
  });

  it('hides its plans from lists and from all their routes', async () => {
    const listed = await operator.api.get<{ items: { id: string }[] }>('/api/plans?limit=200');
    const ids = listed.body.items.map(({ id }) => id);
    expect([ids.includes(hidden.planId), ids.includes(open.planId)]).toEqual([false, true]);
    const found = await operator.api.get<{ items: unknown[] }>('/api/plans?q=vault');
    expect(found.body).toEqual({ items: [], nextCursor: null });
    const ways = (id: string) => [
      start(id),
      start(id, { environmentId: open.environmentId }),
      operator.api.get(`/api/plans/${id}`),
      operator.api.get(`/api/plans/${id}/variables`),
      operator.api.post(`/api/plans/${id}/targets`, { environmentId: open.environmentId }),
      operator.api.patch(`/api/plans/${id}`, { environmentId: null }),
      operator.api.delete(`/api/plans/${id}`),
    ];
    const [seen, random] = [await Promise.all(ways(hidden.planId)), await Promise.all(ways(newId()))];
    expect(seen.map(comparable)).toEqual(random.map(comparable));
    expect(seen.map(({ status }) => status)).toEqual(Array(7).fill(404));
    expect((await admin.api.get(`/api/plans/${hidden.planId}`)).body).toMatchObject({
      environmentId: hidden.environmentId,
    });
  });

  it('keeps a visible run visible after its plan moved there: it can be rerun with the same but not the current plan', async () => {
    const planId = await made(
      operator.api.post('/api/plans', {
        name: 'comer',
        environmentId: open.environmentId,
        steps: [{ key: 'one', command: 'true' }],
      }),
    );
    const dry = { planId, execution_mode: 'dry_run' };
    const { body: run } = await operator.api.post<{ id: string }>('/api/executions', dry);
    expect((await operator.api.post(`/api/executions/${run.id}/cancel`)).status).toBe(200);
    expect((await admin.api.patch(`/api/plans/${planId}`, { environmentId: hidden.environmentId })).status).toBe(200);
    const rerun = (snapshot: string) =>
      operator.api.post<{ code: string }>(`/api/executions/${run.id}/rerun`, { hosts: 'all', snapshot });
    const rerunAnswer = await rerun('current');
    expect([rerunAnswer.status, rerunAnswer.body.code]).toEqual([404, 'not_found']);
    expect((await rerun('same')).status).toBe(201);
    expect((await operator.api.get(`/api/plans/${planId}`)).status).toBe(404);
  });

  it('is counted, not named, when its plans block deletion of a script or template', async () => {
    for (const [path, step] of [
      ['scripts', (id: string) => ({ key: 'one', type: 'script', scriptId: id })],
      ['templates', (id: string) => ({ key: 'one', type: 'template', templateId: id, path: '/tmp/x' })],
    ] as const) {
      const id = await made(admin.api.post(`/api/${path}`, { name: `used ${path}`, content: 'x' }));
      const plan = (name: string, environmentId: string) =>
        made(admin.api.post('/api/plans', { name: `${name} ${path}`, environmentId, steps: [step(id)] }));
      const [, seen] = [await plan('vault user', hidden.environmentId), await plan('field user', open.environmentId)];
      const refused = await operator.api.delete<Refusal>(`/api/${path}/${id}`);
      expect([refused.status, refused.body.code, refused.body.hiddenReferrers]).toEqual([409, 'in_use', 1]);
      expect(refused.body.referrers?.map((each) => each.id)).toEqual([seen]);
      expect(refused.text).not.toContain('vault');
      const all = await admin.api.delete<Refusal>(`/api/${path}/${id}`);
      expect([all.body.referrers?.length, all.body.hiddenReferrers]).toEqual([2, undefined]);
    }
  });

  it('is counted, not named, when its servers block deletion of a key', async () => {
    const refused = await operator.api.delete<Refusal>(`/api/ssh-keys/${hidden.keyId}`);
    expect([refused.status, refused.body.code]).toEqual([403, 'grant_required']);
    expect(refused.body.referrers).toEqual([]);
    expect(refused.body.hiddenReferrers).toBe(1);
    expect(refused.text).not.toMatch(/vault-1/);
  });

  it('provides no values to the variables of other plans', async () => {
    await admin.api.put(`/api/environments/${hidden.environmentId}/variables/DEPTH`, { value: 12 });
    const [requestsReceived, random] = [hidden.environmentId, newId()].map((id) =>
      operator.api.get(`/api/plans/${open.planId}/variables?environmentId=${id}`),
    );
    expect(comparable(await requestsReceived!)).toEqual(comparable(await random!));
    expect(
      (await admin.api.get<{ items: { name: string }[] }>(`/api/plans/${hidden.planId}/variables`)).body.items,
    ).toMatchObject([{ name: 'DEPTH', value: 12 }]);
  });

  it('hides a server that moved into it', async () => {
    const serverId = await made(
      operator.api.post('/api/inventory/servers', {
        name: 'mover',
        hostname: 'm',
        username: 'u',
        sshKeyId: open.keyId,
        environmentId: open.environmentId,
      }),
    );
    await admin.api.patch(`/api/inventory/servers/${serverId}`, { environmentId: hidden.environmentId });
    const [moved, random] = [
      await operator.api.get(`/api/inventory/servers/${serverId}`),
      await operator.api.get(`/api/inventory/servers/${newId()}`),
    ];
    expect(comparable(moved)).toEqual(comparable(random));
    await admin.api.delete(`/api/inventory/servers/${serverId}`);
  });
});

describe('a revoked grant', () => {
  it('closes an open stream, and the next request returns 404', async () => {
    await admin.api.put(grants(), { level: 'view' });
    const response = await fetch(`${runward.url}/api/executions/${hiddenRun}/stream`, {
      headers: { authorization: `Bearer ${operator.token}` },
    });
    expect(response.status).toBe(200);
    const ended = drain(response);
    await admin.api.delete(grants());
    expect((await operator.api.get(`/api/executions/${hiddenRun}`)).status).toBe(404);
    await ended;
  });

  it('hides a stored idempotent response until the grant is restored', async () => {
    await admin.api.put(grants(), { level: 'run' });
    const body = {
      name: 'seen once',
      hostname: '127.0.0.8',
      username: 'deploy',
      sshKeyId: hidden.keyId,
      environmentId: hidden.environmentId,
    };
    const again = () =>
      operator.api.post<{ id: string }>('/api/inventory/servers', body, { 'idempotency-key': 'once' });
    const first = await again();
    expect([first.status, (await again()).body]).toEqual([201, first.body]);
    await admin.api.delete(grants());
    expect(await again()).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await admin.api.put(grants(), { level: 'view' });
    expect((await again()).body).toEqual(first.body);
    await admin.api.delete(grants());
    await admin.api.delete(`/api/inventory/servers/${first.body.id}`);
  });

  it('ends a wait with 404, and so does a lost role', async () => {
    await admin.api.put(grants(), { level: 'view' });
    const waiting = operator.api.get(`/api/executions/${hiddenRun}?wait=30`);
    await requestsReceived();
    await admin.api.delete(grants());
    expect((await waiting).status).toBe(404);
    const second = await runward.member(admin, 'admin');
    const asAdmin = second.api.get(`/api/executions/${hiddenRun}?wait=2`);
    await requestsReceived();
    await runward.database.query(`update users set role = 'viewer' where id = $1`, [second.userId]);
    expect((await asAdmin).status).toBe(404);
  });

  it('does not stop a run that was started under it', async () => {
    expect((await admin.api.get(`/api/executions/${hiddenRun}`)).body).toMatchObject({ status: 'PENDING' });
  });
});

describe('runs of a deleted environment', () => {
  it('are visible to admins only', async () => {
    const gone = await makeScene(admin.api, { name: 'gone', keyId: open.keyId, hostname: '127.0.0.8' });
    const runId = await made(operator.api.post('/api/executions', { planId: gone.planId, execution_mode: 'auto' }));
    await operator.api.post(`/api/executions/${runId}/cancel`);
    await operator.api.delete(`/api/inventory/servers/${gone.serverId}`);
    await operator.api.delete(`/api/plans/${gone.planId}`);
    expect((await operator.api.delete(`/api/environments/${gone.environmentId}`)).status).toBe(204);
    expect(comparable(await operator.api.get(`/api/executions/${runId}`))).toEqual(
      comparable(await operator.api.get(`/api/executions/${newId()}`)),
    );
    const listed = async (member: TestMember) =>
      (await member.api.get<{ items: { id: string }[] }>('/api/executions')).body.items.map(({ id }) => id);
    expect(await listed(operator)).not.toContain(runId);
    expect(await listed(admin)).toContain(runId);
    expect((await admin.api.get(`/api/executions/${runId}`)).status).toBe(200);
    const cancel = await admin.api.post<Refusal>(`/api/executions/${runId}/cancel`);
    expect([cancel.status, cancel.body.code]).toEqual([409, 'already_finished']);
  });
});

async function drain(response: Response): Promise<void> {
  const reader = response.body?.getReader();
  try {
    while (reader && !(await reader.read()).done);
  } catch {
    // The server has closed the stream, as expected.
  }
}

/** Waits until the server has received all earlier requests: requests of one connection pool arrive in order. */
async function requestsReceived(): Promise<void> {
  for (let n = 0; n < 5; n += 1) await admin.api.get('/api/auth/me');
}
