import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApprovalLab, startApprovalLab } from '../../../test/support/approval-lab.js';
import { releaseHosts } from '../../../test/support/release-hosts.js';
import { changePolicy } from '../../../test/support/environment-policy.js';
import type { ApiClient } from '../../../test/support/api-client.js';
import type { TestMember } from '../../../test/support/installation.js';
import { newId } from '../../common/ids.js';
import type { ExecutionListView, ExecutionView } from '../contract/execution.view.js';
import type { RunPermissionsView } from '../contract/run-people.view.js';

let lab: ApprovalLab;
let pendingApproval: ExecutionView;
let confirming: ExecutionView;
let inVault: ExecutionView;
let vaultId: string;
let uninvolvedMember: TestMember;
let viewer: TestMember;

const list = async (by: ApiClient, query = ''): Promise<ExecutionListView['items']> => {
  const { status, body, text } = await by.get<ExecutionListView>(`/api/executions?${query}`);
  if (status !== 200) throw new Error(text);
  return body.items;
};
const listAwaited = async (by: ApiClient): Promise<string[]> =>
  (await list(by, 'awaiting=me')).map(({ id }) => id).sort();
const ids = (...runs: ExecutionView[]): string[] => runs.map(({ id }) => id).sort();

beforeAll(async () => {
  lab = await startApprovalLab({ hosts: 3 });
  await lab.runward.worker();
  uninvolvedMember = await lab.runward.member(lab.admin, 'operator');
  viewer = await lab.runward.member(lab.admin, 'viewer');
  const elsewhere = async (name: string, hostname: string): Promise<string> => {
    const environmentId = await lab.environment(name);
    await lab.server({ name: `${name}-1`, hostname, environmentId });
    return environmentId;
  };
  // In a protected environment, only approved runs connect to hosts.
  const moved = lab.servers.slice(1).map(({ id }) => id);
  for (const id of moved) expect((await lab.api.delete(`/api/inventory/servers/${id}`)).status).toBe(204);
  await releaseHosts(lab.api, lab.environmentId);
  const openId = await elsewhere('open', '127.0.1.2');
  vaultId = await elsewhere('vault', '127.0.1.3');
  expect((await lab.api.patch(`/api/environments/${vaultId}`, { access: 'restricted' })).status).toBe(200);

  pendingApproval = await lab.waiting(await lab.plan(['true'], { targets: 'name=web-1' }));
  const interactive = { execution_mode: 'interactive' };
  confirming = await lab.waiting(await lab.plan(['true'], { environmentId: openId }), lab.api, interactive);
  inVault = await lab.waiting(await lab.plan(['true'], { environmentId: vaultId }), lab.api, interactive);
  [confirming, inVault] = await Promise.all([lab.paused(confirming.id), lab.paused(inVault.id)]);
});
afterAll(() => lab.close());

describe('a run that waits for approval', () => {
  it('awaits only members who can approve it', async () => {
    expect(await listAwaited(lab.approver.api)).toEqual(ids(pendingApproval));
    expect(await listAwaited(lab.second.api)).toEqual(ids(pendingApproval));
    expect(await listAwaited(viewer.api)).toEqual([]);
    // The operator started this run, and the other operator only lacks the grant.
    expect(await listAwaited(lab.operator.api)).toEqual(ids(confirming));
    expect(await listAwaited(uninvolvedMember.api)).toEqual(ids(confirming));
  });

  it('does not await an author of its content', async () => {
    expect(await listAwaited(lab.api)).toEqual(ids(confirming, inVault));
    const { approval, awaitsYou } = await lab.get(pendingApproval.id);
    expect([approval?.currentUserObstacle?.code, awaitsYou]).toEqual(['self_approval', false]);
  });

  it('has the same value in lists, in the run and in its approval', async () => {
    for (const { api } of [lab.admin, lab.operator, lab.approver, lab.second, viewer, uninvolvedMember]) {
      const { body } = await api.get<ExecutionView>(`/api/executions/${pendingApproval.id}`);
      const listed = (await list(api)).find(({ id }) => id === pendingApproval.id);
      expect(listed?.awaitsYou).toBe(body.approval?.currentUserCanDecide);
      expect(body.awaitsYou).toBe(body.approval?.currentUserCanDecide);
    }
  });

  it('does not await a member who has approved it, until the approval is withdrawn', async () => {
    await lab.policy({ requiredApprovals: 2 });
    expect((await lab.approve(pendingApproval.id)).status).toBe(200);
    expect(await listAwaited(lab.approver.api)).toEqual([]);
    expect(await listAwaited(lab.second.api)).toEqual(ids(pendingApproval));
    expect((await lab.approver.api.post(`/api/executions/${pendingApproval.id}/withdraw-approval`)).status).toBe(200);
    expect(await listAwaited(lab.approver.api)).toEqual(ids(pendingApproval));
  });

  it('no longer awaits a member who lost the grant', async () => {
    await lab.grant(lab.second, 'run');
    expect(await listAwaited(lab.second.api)).toEqual([]);
    await lab.grant(lab.second, 'approve');
    expect(await listAwaited(lab.second.api)).toEqual(ids(pendingApproval));
  });
});

describe('the people who may act on a run', () => {
  const read = async (id: string, by: ApiClient = lab.api) =>
    (await by.get<RunPermissionsView>(`/api/executions/${id}/permissions`)).body;
  const nameOf = async ({ api }: { api: ApiClient }) => (await api.get<{ name: string }>('/api/auth/me')).body.name;

  it('can approve it now: neither the requester nor an author of its content', async () => {
    const { approve, control } = await read(pendingApproval.id, viewer.api);
    const names = [await nameOf(lab.approver), await nameOf(lab.second)];
    expect(approve?.names.filter((name) => names.includes(name)).sort()).toEqual(names.toSorted());
    for (const other of [lab.operator, lab.admin, viewer]) expect(approve?.names).not.toContain(await nameOf(other));
    expect(approve?.rule).toMatch(/^members with the grant "approve" in ".+", and admins$/);
    expect(control.rule).toBe('operators and admins');
    expect(control.names).toEqual(expect.arrayContaining([await nameOf(lab.operator), await nameOf(lab.admin)]));
    expect(control.names).not.toContain(names[0]);
  });

  it('need the grant "run" in a restricted environment', async () => {
    const before = await read(inVault.id);
    expect(before.approve).toBeNull();
    expect(before.control).toMatchObject({
      rule: 'operators with the grant "run" in "vault", and admins',
      names: before.administer.names,
    });
    const path = `/api/environments/${vaultId}/grants/${uninvolvedMember.userId}`;
    for (const [level, added] of [
      ['view', []],
      ['run', [await nameOf(uninvolvedMember)]],
    ] as const) {
      await lab.api.put(path, { level });
      const { control } = await read(inVault.id, uninvolvedMember.api);
      expect(control.names.toSorted()).toEqual([...before.control.names, ...added].toSorted());
    }
    await lab.api.delete(path);
    expect((await uninvolvedMember.api.get(`/api/executions/${inVault.id}/permissions`)).status).toBe(404);
  });
});

describe('a run that waits for a decision in a restricted environment', () => {
  const grant = (level: string) =>
    lab.api.put(`/api/environments/${vaultId}/grants/${uninvolvedMember.userId}`, { level });

  it('is neither listed nor counted for members who cannot see it', async () => {
    const { body, text } = await uninvolvedMember.api.get<ExecutionListView>('/api/executions?awaiting=me&limit=1');
    expect(body).toMatchObject({ items: [{ id: confirming.id }], nextCursor: null });
    expect(text).not.toContain(inVault.id);
  });

  it('is visible with the grant "view" and awaits a member with the grant "run"', async () => {
    await grant('view');
    expect((await list(uninvolvedMember.api)).find(({ id }) => id === inVault.id)?.awaitsYou).toBe(false);
    expect(await listAwaited(uninvolvedMember.api)).toEqual(ids(confirming));
    await grant('run');
    expect(await listAwaited(uninvolvedMember.api)).toEqual(ids(confirming, inVault));
    await lab.api.delete(`/api/environments/${vaultId}/grants/${uninvolvedMember.userId}`);
  });

  it('is invisible to a member of another tenant', async () => {
    const stranger = await lab.runward.tenant('elsewhere');
    expect(await listAwaited(stranger.api)).toEqual([]);
    expect(await list(stranger.api, `parentId=${inVault.id}`)).toEqual([]);
  });
});

describe('the list of runs that await a member', () => {
  it('is paged and can be combined with other filters', async () => {
    const query = '/api/executions?awaiting=me&limit=1';
    const first = (await lab.api.get<ExecutionListView>(query)).body;
    const next = (await lab.api.get<ExecutionListView>(`${query}&cursor=${first.nextCursor}`)).body;
    expect([...first.items, ...next.items].map(({ id }) => id)).toEqual([inVault.id, confirming.id]);
    expect(next.nextCursor).toBeNull();
    expect(await list(lab.api, `awaiting=me&planId=${confirming.planId}`)).toHaveLength(1);
    expect(await list(lab.api, 'awaiting=me&status=RUNNING')).toEqual([]);
  });

  it('cannot be requested for another member', async () => {
    const { status, body } = await lab.api.get<{ errors: { path: string }[] }>(
      `/api/executions?awaiting=${lab.approver.userId}`,
    );
    expect([status, body.errors.map(({ path }) => path)]).toEqual([400, ['?awaiting']]);
  });

  it('contains a finished run until its unknown results are resolved', async () => {
    const environmentId = await lab.environment('attic');
    await lab.server({ name: 'attic-1', hostname: '127.0.1.1', port: lab.hosts.sshd.port, environmentId });
    await changePolicy(lab.api, lab.environmentId, { protected: false });
    await lab.api.post(`/api/executions/${pendingApproval.id}/cancel`);
    const { id } = await lab.waiting(await lab.plan(['kill -9 $PPID'], { environmentId }), lab.api);
    const lost = await lab.ended(id);
    expect(lost).toMatchObject({ status: 'INTERRUPTED', awaitsYou: true });
    expect(await listAwaited(viewer.api)).toEqual([]);
    expect(await listAwaited(uninvolvedMember.api)).toContain(id);
    const [host] = lost.unknownHosts;
    const settle = { stepKey: host?.stepKey, action: 'mark_failed' };
    const { status } = await uninvolvedMember.api.post(`/api/executions/${id}/hosts/${host?.serverId}/resolve`, settle);
    expect(status).toBe(200);
    expect(await listAwaited(uninvolvedMember.api)).not.toContain(id);
    expect((await lab.get(id)).awaitsYou).toBe(false);
  });
});

describe('the reruns of a run', () => {
  it('are listed by the run, and only if visible', async () => {
    await lab.api.post(`/api/executions/${inVault.id}/cancel`);
    await lab.ended(inVault.id);
    const again = await lab.api.post<ExecutionView>(`/api/executions/${inVault.id}/rerun`, {
      hosts: 'all',
      snapshot: 'same',
    });
    expect(again.status).toBe(201);
    expect((await list(lab.api, `parentId=${inVault.id}`)).map(({ id }) => id)).toEqual([again.body.id]);
    expect(await list(lab.api, `parentId=${confirming.id}`)).toEqual([]);
    expect(await list(uninvolvedMember.api, `parentId=${inVault.id}`)).toEqual([]);
    expect(await list(lab.api, `parentId=${newId()}`)).toEqual([]);
    expect((await lab.api.get('/api/executions?parentId=nothing')).status).toBe(400);
  });
});
