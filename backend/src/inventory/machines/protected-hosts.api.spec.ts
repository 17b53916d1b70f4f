import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { changePolicy } from '../../../test/support/environment-policy.js';
import { type EnvironmentScene, made, makeScene } from '../../../test/support/environment-scene.js';
import { clientWithScope } from '../../../test/support/host-changes.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import type { ProtectionView } from '../host-keys/protection.view.js';

interface Fault {
  code: string;
  detail: string;
}

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let approver: TestMember;
let guarded: EnvironmentScene;
let open: EnvironmentScene;

const path = (id = guarded.serverId) => `/api/inventory/servers/${id}`;
const change = (by: TestMember, body: object, id?: string) => by.api.patch<Fault>(path(id), body);
const start = (scene: Pick<EnvironmentScene, 'planId'>, more: object = {}, api: ApiClient = operator.api) =>
  api.post<Fault & { id: string }>('/api/executions', { planId: scene.planId, execution_mode: 'auto', ...more });
const protect = async (value: boolean) => {
  const { status, body } = await changePolicy(admin.api, guarded.environmentId, { protected: value });
  expect([status, body.protected]).toEqual([200, value]);
};

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  approver = await runward.member(admin, 'operator');
  guarded = await makeScene(admin.api, { name: 'guarded', hostname: 'db.internal', environment: { protected: true } });
  open = await makeScene(admin.api, { name: 'open', hostname: 'web.internal' });
  await admin.api.put(`/api/environments/${guarded.environmentId}/grants/${approver.userId}`, { level: 'approve' });
});
afterAll(() => runward.close());

describe('a server of a protected environment', () => {
  const CHANGES_AWAY = (): [string, object][] => [
    ['moving "guarded-1" to another environment', { environmentId: open.environmentId }],
    ['changing the address of "guarded-1"', { hostname: 'elsewhere.internal' }],
    ['changing the legacy algorithms of "guarded-1"', { legacyAlgorithms: true }],
    ['changing the port of "guarded-1"', { port: 2222 }],
  ];

  it('cannot be moved, readdressed, deleted or switched to legacy algorithms with the grant "run"', async () => {
    for (const [what, body] of CHANGES_AWAY()) {
      const { status, body: fault } = await change(operator, body);
      expect([what, status, fault.code]).toEqual([what, 403, 'grant_required']);
      expect(fault.detail).toBe(
        `"guarded" is protected: ${what} needs the grant "approve" there. Ask an admin for it.`,
      );
    }
    const deleted = await operator.api.raw<Fault>('DELETE', path(), undefined);
    expect([deleted.status, deleted.body.code]).toEqual([403, 'grant_required']);
    expect((await admin.api.get(path())).body).toMatchObject({
      hostname: 'db.internal',
      port: 1,
      environmentId: guarded.environmentId,
      version: 1,
    });
  });

  it('can be changed in other fields with the grant "run", also with its own address', async () => {
    const body = {
      hostname: 'db.internal',
      port: 1,
      environmentId: guarded.environmentId,
      tags: { a: 'b' },
      legacyAlgorithms: false,
    };
    expect((await change(operator, body)).status).toBe(200);
  });

  it('can be moved, changed and deleted by approvers and admins', async () => {
    for (const by of [approver, admin]) {
      for (const [what, body] of CHANGES_AWAY()) {
        expect([what, (await change(by, body)).status]).toEqual([what, 200]);
        const back = {
          environmentId: guarded.environmentId,
          hostname: 'db.internal',
          port: 1,
          legacyAlgorithms: false,
        };
        expect((await change(admin, back)).status).toBe(200);
      }
    }
    const extra = await made(
      operator.api.post('/api/inventory/servers', {
        name: 'extra',
        hostname: 'extra.internal',
        username: 'a',
        sshKeyId: guarded.keyId,
        environmentId: guarded.environmentId,
      }),
    );
    expect((await approver.api.put(`${path(extra)}/protection`, { confirmed: true })).status).toBe(200);
    expect((await operator.api.delete<Fault>(path(extra))).body.code).toBe('grant_required');
    expect((await approver.api.delete(path(extra))).status).toBe(204);
  });

  it('can be added with the grant "run", and moved again after the protection ends', async () => {
    expect((await change(operator, { environmentId: guarded.environmentId }, open.serverId)).status).toBe(200);
    expect((await approver.api.put(`${path(open.serverId)}/protection`, { confirmed: true })).status).toBe(200);
    expect((await change(operator, { environmentId: open.environmentId }, open.serverId)).body.code).toBe(
      'grant_required',
    );
    await protect(false);
    expect((await change(operator, { environmentId: open.environmentId }, open.serverId)).status).toBe(200);
    await protect(true);
  });
});

describe('a host of a protected environment that is also registered elsewhere', () => {
  let twin: string;
  beforeAll(async () => {
    twin = await made(
      operator.api.post('/api/inventory/servers', {
        name: 'twin',
        hostname: 'DB.internal',
        port: 1,
        username: 'deploy',
        sshKeyId: open.keyId,
        environmentId: open.environmentId,
      }),
    );
  });

  it('refuses every run there, even a dry run or one with other hosts', async () => {
    for (const more of [{}, { targets: 'name=twin' }, { execution_mode: 'dry_run' }]) {
      for (const { api } of [operator, admin]) {
        const { status, body } = await start(open, more, api);
        expect([status, body.code]).toEqual([409, 'protected_host']);
        expect(body.detail).toBe(
          '"twin" has the address of a server in a protected environment: run it there, where it can be approved. If the server left that environment, an approver there can release its host. If several machines share the address by their ports, ask an admin to mark it as shared.',
        );
      }
    }
  });

  it.each([
    ['a trailing dot', 'db.internal', 'Db.internal.'],
    ['zeros of an IPv6 address', '2001:db8::5', '2001:DB8:0:0:0:0:0:5'],
    ['an IPv4-mapped form', '10.1.2.3', '::ffff:10.1.2.3'],
  ])('refuses every run there if the addresses differ only in %s', async (_what, here, there) => {
    expect((await change(admin, { hostname: here })).status).toBe(200);
    expect((await change(operator, { hostname: there }, twin)).status).toBe(200);
    const { status, body } = await start(open, { targets: 'name=twin' });
    expect([status, body.code]).toEqual([409, 'protected_host']);
    expect((await change(admin, { hostname: 'db.internal' })).status).toBe(200);
    expect((await change(operator, { hostname: 'DB.internal' }, twin)).status).toBe(200);
  });

  it('does not block runs on other hosts or in the protected environment', async () => {
    const others = await start(open, { targets: 'name!=twin' });
    expect(others.status).toBe(201);
    const there = await start(guarded);
    expect([there.status, (there.body as unknown as { status: string }).status]).toEqual([201, 'PAUSED']);
    for (const { body } of [others, there]) await admin.api.post(`/api/executions/${body.id}/cancel`);
  });

  it('is the same host on another port, unless an admin marked the address as shared', async () => {
    const shared = (address: string) => `/api/inventory/shared-addresses/${encodeURIComponent(address)}`;
    const reason = { reason: 'NAT gateway' };
    await change(operator, { port: 23 }, twin);
    expect((await start(open)).body.code).toBe('protected_host');
    expect((await operator.api.put<Fault>(shared('db.internal'), reason)).body.code).toBe('insufficient_role');
    expect((await admin.api.put<Fault>(shared('db.internal:22'), reason)).status).toBe(400);
    const marked = await admin.api.put(shared('DB.internal.'), reason);
    expect([marked.status, marked.body]).toMatchObject([200, { address: 'db.internal', ...reason }]);
    expect((await admin.api.put(shared('db.internal'), { reason: 'again' })).body).toEqual(marked.body);
    expect((await admin.api.get('/api/inventory/shared-addresses')).body).toEqual({ items: [marked.body] });
    const { addresses } = (await admin.api.get<ProtectionView>(`${path()}/protection`)).body;
    expect(addresses).toEqual([{ address: 'db.internal', shared: true }]);
    const other = await start(open);
    expect(other.status).toBe(201);
    await admin.api.post(`/api/executions/${other.body.id}/cancel`);
    await change(operator, { port: 1 }, twin);
    expect((await start(open)).body.code).toBe('protected_host');
    await change(operator, { port: 23 }, twin);
    expect((await admin.api.delete(shared('db.internal'))).status).toBe(204);
    expect((await admin.api.delete(shared('db.internal'))).status).toBe(404);
    expect((await start(open)).body.code).toBe('protected_host');
    await change(operator, { port: 1 }, twin);
    const { items } = (await admin.api.get<{ items: object[] }>('/api/audit-logs?resourceType=shared_address')).body;
    const after = { address: 'db.internal', ...reason };
    expect(items).toEqual(
      ['delete', 'create'].map((verb): unknown =>
        expect.objectContaining({ action: `shared_address.${verb}`, resourceName: 'db.internal', after }),
      ),
    );
  });

  it('can be marked as shared by a person with an unrestricted credential only', async () => {
    const account = await made(admin.api.post('/api/service-accounts', { name: 'machine', role: 'admin' }));
    const { body } = await admin.api.post<{ token: string }>(`/api/service-accounts/${account}/tokens`, { name: 'a' });
    const narrowed = await clientWithScope(runward.url, admin.api, {
      access: 'all',
      environmentIds: [guarded.environmentId],
    });
    for (const [api, code] of [
      [apiClient(runward.url, body), 'person_required'],
      [narrowed, 'insufficient_scope'],
    ] as const) {
      const address = '/api/inventory/shared-addresses/db.internal';
      expect((await api.put<Fault>(address, { reason: 'mine' })).body.code).toBe(code);
      expect((await api.delete<Fault>(address)).body.code).toBe(code);
      const key = await api.put<Fault>(`${path()}/host-key/shared`, { shared: true });
      expect(key.body.code).toBe(code);
    }
  });

  it('is free when the protection ends', async () => {
    await protect(false);
    const free = await start(open);
    expect(free.status).toBe(201);
    await admin.api.post(`/api/executions/${free.body.id}/cancel`);
    await protect(true);
  });

  it('is refused in a rerun of a run from before the protection', async () => {
    await protect(false);
    const { body } = await start(open);
    await admin.api.post(`/api/executions/${body.id}/cancel`);
    await protect(true);
    for (const snapshot of ['same', 'current']) {
      const again = await operator.api.post<Fault>(`/api/executions/${body.id}/rerun`, { hosts: 'all', snapshot });
      expect([again.status, again.body.code]).toEqual([409, 'protected_host']);
    }
  });
});
