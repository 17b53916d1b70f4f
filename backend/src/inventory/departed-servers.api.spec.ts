import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { made } from '../../test/support/environment-scene.js';
import {
  anyHostKey,
  CHANGE_ROUTES,
  type ChangedServer,
  type ChangeContext,
  departures,
  type HostChange,
  hostChanges,
  clientWithScope,
  type RequestedHost,
  requestedFields,
} from '../../test/support/host-changes.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { newId } from '../common/ids.js';
import { ProtectedHosts } from './machines/protected-hosts.js';
import { generateKeyPair } from '../transport/keys/key-material.js';
import { parseHostKey } from '../transport/keys/host-key.js';
import type { ProtectionView } from './host-keys/protection.view.js';
import type { DepartedServerView } from './host-keys/departed-servers.view.js';

const SERVERS = '/api/inventory/servers';
const DELAY = 7200;

let runward: Installation;
let admin: TestMember;
let approver: TestMember;
let second: TestMember;
let operator: TestMember;
let changeContext: ChangeContext;
let guarded: string;
let jumpId: string;
let numbered = 0;
const nameOf = ({ email }: TestMember) => email.split('@')[0]?.replace('-', ' ');

beforeAll(async () => {
  runward = await startInstallation();
  await runward.worker();
  admin = await runward.tenant('acme');
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
  const sshKeyId = await made(admin.api.post('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } }));
  const environment = (name: string, more: object = {}) => made(admin.api.post('/api/environments', { name, ...more }));
  guarded = await environment('guarded', { protected: true, protectionDelaySeconds: DELAY });
  const open = await environment('open');
  [approver, second, operator] = [
    await runward.member(admin, 'operator'),
    await runward.member(admin, 'admin'),
    await runward.member(admin, 'operator'),
  ];
  await admin.api.put(`/api/environments/${guarded}/grants/${approver.userId}`, { level: 'approve' });
  const server = (name: string, environmentId: string) =>
    made(admin.api.post(SERVERS, { name, hostname: `${name}.invalid`, username: 'deploy', sshKeyId, environmentId }));
  jumpId = await server('jump-before', open);
  const ecdsa = parseHostKey((await generateKeyPair({ type: 'ecdsa' })).publicKey);
  changeContext = {
    ...{ approver: approver.api, sshKeyId, open },
    jump: { id: await server('jump-after', guarded), name: 'jump-after' },
    keys: { replacementKeyId: anyHostKey(), further: `${ecdsa.type} ${ecdsa.publicKey}` },
    async seen({ id }, publicKey) {
      const seen = parseHostKey(publicKey);
      const values = [id, JSON.stringify(seen)];
      await runward.database.query('update servers set seen_host_key = $2 where id = $1', values);
      return seen.fingerprint;
    },
  };
});
afterAll(() => runward.close());

async function register(environmentId = guarded, more: object = {}): Promise<ChangedServer> {
  numbered += 1;
  const name = `server-${numbered}`;
  const publicKey = anyHostKey();
  const hostname = `10.97.${numbered >> 8}.${numbered & 255}`;
  const id = await made(
    admin.api.post(SERVERS, {
      ...{ name, hostname, username: 'deploy', sshKeyId: changeContext.sshKeyId, environmentId, jumpServerId: jumpId },
      ...{ externalSource: 'cmdb', externalId: name, hostKey: { publicKey } },
      ...more,
    }),
  );
  return { id, name, hostname, externalId: name, environmentId, publicKey };
}

const path = (more = '') => `/api/environments/${guarded}/departed-servers${more}`;
const departed = async ({ api } = admin) =>
  (await api.get<{ items: DepartedServerView[] }>(path('?limit=100'))).body.items;
const departureOf = async (server: ChangedServer, by = admin) =>
  (await departed(by)).find(({ serverId }) => serverId === server.id);
const decide = (id: string | undefined, what: 'release' | 'keep', { api }: TestMember, body: object = {}) =>
  api.post<DepartedServerView & { code: string; detail: string }>(
    path(`/${id}/${what}`),
    what === 'keep' ? undefined : body,
  );
const stored = async ({ id }: ChangedServer) => {
  const [row] = await runward.database.query<{ row: object }>(
    `select row_to_json(s) as row from servers s where id = $1`,
    [id],
  );
  return row && JSON.stringify(row.row);
};

async function protectedBy({ hostname, publicKey }: ChangedServer): Promise<string[]> {
  const probe = await register(changeContext.open, { hostname, hostKey: undefined, username: 'probe' });
  const { body } = await admin.api.get<ProtectionView>(`${SERVERS}/${probe.id}/protection`);
  await runward.database.query('delete from servers where id = $1', [probe.id]);
  numbered += 1;
  const claim = await admin.api.post<{ code: string }>(SERVERS, {
    ...{ name: `claim-${numbered}`, hostname: `claim-${numbered}.invalid`, username: 'deploy' },
    ...{ sshKeyId: changeContext.sshKeyId, environmentId: changeContext.open, hostKey: { publicKey } },
  });
  return [
    ...(body.protectedBy.length > 0 ? ['address'] : []),
    ...(claim.body.code === 'protected_host' ? ['key'] : []),
  ];
}

/** Like `protectedBy`, for many servers, with the query that a start uses. */
const allProtected = (servers: readonly ChangedServer[]) =>
  runward.app.get(UnitOfWork).run(admin.tenantId, async (tx) => {
    const asked = servers.flatMap((server) => {
      const none = { port: 22, hostKey: null, moreHostKeys: [] };
      const hostKey = parseHostKey(server.publicKey);
      return [
        { ...none, id: newId(), name: `address of ${server.name}`, hostname: server.hostname },
        { ...none, id: newId(), name: `key of ${server.name}`, hostname: 'elsewhere.invalid', hostKey },
      ];
    });
    const found = await runward.app.get(ProtectedHosts).findAmongServers(tx, admin.tenantId, changeContext.open, asked);
    const names = new Set(found.map(({ name }) => name));
    return asked.map(({ name }) => name).filter((name) => !names.has(name));
  });

const FORGETTING_ROUTE = 'PUT /servers/{id}/protection';
const ROUTES: typeof CHANGE_ROUTES = {
  ...CHANGE_ROUTES,
  [FORGETTING_ROUTE]: {
    takes: ({ gone }) => gone === true,
    send: async (api, changes) => {
      for (const [{ id }] of changes) await api.put(`${SERVERS}/${id}/protection`, { confirmed: false });
    },
  },
};
/** Whether the server no longer identifies the same host in its environment after the change. */
const leavesAddress = ({ hostname, port, jumpServerId, environmentId, gone }: RequestedHost) =>
  [hostname, port, jumpServerId, environmentId, gone].some((value) => value !== undefined);

describe('a server that one approver removes from a protected environment', () => {
  it('still protects its host from runs of other environments, by whatever request it left or changed', async () => {
    const changes = [...Object.values(hostChanges(changeContext)).flat(), ...departures(changeContext)];
    const open: string[] = [];
    const missing: string[] = [];
    const effective = new Set<string>();
    for (const [route, { takes, send }] of Object.entries(ROUTES)) {
      const tried = changes.filter(([, change]) => takes(change));
      const pairs: HostChange[] = [];
      for (const [, change] of tried) {
        const server = await register();
        pairs.push([server, requestedFields(server, change)]);
      }
      const before = await Promise.all(pairs.map(([server]) => stored(server)));
      await send(approver.api, pairs, changeContext);
      const left = await departed();
      open.push(...(await allProtected(pairs.map(([server]) => server))).map((what) => `${route} · ${what}`));
      for (const [at, [what, change]] of tried.entries()) {
        const server = pairs[at]![0];
        if (route === FORGETTING_ROUTE || before[at] !== (await stored(server))) effective.add(`${route} · ${what}`);
        const departure = left.find(({ serverId }) => serverId === server.id);
        const reported = [departure?.serverName, departure?.leftBy?.name, departure?.proofs.length];
        if (leavesAddress(change) && reported.join() !== [server.name, nameOf(approver), 2].join())
          missing.push(`${route} · ${what} · ${reported.join()}`);
      }
      await runward.database.query(`delete from servers where name like 'server-%'`);
      await runward.database.query(`delete from departed_servers`);
    }
    expect(open).toEqual([]);
    expect(missing).toEqual([]);
    expect([...new Set([...effective].map((each) => each.split(' · ')[0]))].sort()).toEqual(Object.keys(ROUTES).sort());
    expect(effective.size).toBeGreaterThanOrEqual(40);
  }, 240_000);

  it('frees its host immediately when a second, independent approver releases it', async () => {
    const server = await register();
    expect((await approver.api.delete(`${SERVERS}/${server.id}`)).status).toBe(204);
    const departure = await departureOf(server, approver);
    expect(departure).toMatchObject({ how: 'deleted', currentUserCanRelease: false, keptBy: null });
    const wait = Date.parse(departure?.countsUntil ?? '') - Date.parse(departure?.leftAt ?? '');
    expect(Math.round(wait / 1000)).toBe(DELAY);
    const refused = await decide(departure?.id, 'release', approver);
    expect([refused.status, refused.body.code]).toEqual([403, 'second_person_required']);
    expect(refused.body.detail).toBe('You removed the server, so another approver has to release the host.');
    // This admin has just given the approver the grant.
    expect((await decide(departure?.id, 'release', admin)).body.code).toBe('second_person_required');
    const without = await decide(departure?.id, 'release', operator);
    expect([without.status, without.body.code]).toEqual([403, 'grant_required']);
    expect((await departureOf(server, operator))?.currentUserObstacle?.text).toMatch(/needs the grant "approve"/);
    expect(await protectedBy(server)).toEqual(['address', 'key']);
  });

  it('is released by an independent approver, kept indefinitely by any approver, and released in an emergency by an admin', async () => {
    const [first, other] = [await register(), await register()];
    for (const { id } of [first, other]) expect((await second.api.delete(`${SERVERS}/${id}`)).status).toBe(204);
    const [one, two] = [await departureOf(first), await departureOf(other)];
    // The scene's recent grants make its members dependent on one another. Makes these grants old.
    await runward.database.query(`update given_rights set given_at = given_at - interval '8 days'`);
    expect((await decide(one?.id, 'release', second)).body.code).toBe('second_person_required');
    expect((await decide(one?.id, 'release', approver)).status).toBe(204);
    expect(await protectedBy(first)).toEqual([]);
    for (let repeat = 0; repeat < 2; repeat += 1)
      expect((await decide(two?.id, 'keep', approver)).body).toMatchObject({
        countsUntil: null,
        keptBy: { id: approver.userId, name: nameOf(approver) },
      });
    const emergency = { override: true, reason: 'the address is needed' };
    expect((await decide(two?.id, 'release', approver, emergency)).body.code).toBe('insufficient_role');
    expect((await decide(two?.id, 'release', second, { override: true })).status).toBe(400);
    expect(await protectedBy(other)).toEqual(['address', 'key']);
    expect((await decide(two?.id, 'release', second, emergency)).status).toBe(204);
    expect((await decide(two?.id, 'keep', second)).status).toBe(404);
    const { items } = (
      await admin.api.get<{ items: { action: string; actorName: string }[] }>(
        `/api/audit-logs?resourceId=${guarded}&limit=3`,
      )
    ).body;
    expect(items.map(({ action }) => action)).toEqual([
      'environment.server_release_overridden',
      'environment.server_kept',
      'environment.server_released',
    ]);
  });

  it('does not count after its time, nor in an unprotected environment', async () => {
    const server = await register();
    await approver.api.patch(`${SERVERS}/${server.id}`, { environmentId: changeContext.open });
    const { body } = await admin.api.get<ProtectionView>(`${SERVERS}/${server.id}/protection`);
    expect(body.protectedBy).toMatchObject([{ serverName: server.name, environmentName: 'guarded' }]);
    const gone = await admin.api.delete<{ code: string; detail: string }>(`/api/environments/${guarded}`);
    expect([gone.status, gone.body.code]).toEqual([409, 'in_use']);
    await runward.database.query(`update departed_servers set counts_until = now() where server_id = $1`, [server.id]);
    expect(await departureOf(server)).toBeUndefined();
    await approver.api.delete(`${SERVERS}/${server.id}`);
    expect(await protectedBy(server)).toEqual([]);
    const free = await register(changeContext.open, { hostname: '10.96.0.1' });
    await admin.api.delete(`${SERVERS}/${free.id}`);
    expect(await departureOf(free)).toBeUndefined();
  });

  it('is reported once for all servers of a request, and not by a preview', async () => {
    const hook = { name: 'w', url: 'https://hooks.example.test', events: ['environment.protection_changed'] };
    await made(admin.api.post('/api/webhooks', hook));
    const some = [await register(), await register()];
    const body = { serverIds: some.map(({ id }) => id), action: 'delete' };
    const reported = async () => {
      const sql = `select data from outbox_events where type = 'environment.protection_changed' order by id`;
      return (await runward.database.query<{ data: object }>(sql)).map(({ data }) => data);
    };
    await approver.api.post(`${SERVERS}/bulk?preview=true`, body);
    expect(await reported()).toEqual([]);
    expect((await approver.api.post(`${SERVERS}/bulk`, body)).status).toBe(200);
    expect(await reported()).toMatchObject([
      {
        what: 'servers_left',
        by: { id: approver.userId, name: nameOf(approver) },
        departed: { count: 2, names: some.map(({ name }) => name) },
      },
    ]);
  });

  it('is visible to and decided by tokens within their environments only', async () => {
    const foreign = await clientWithScope(runward.url, second.api, {
      access: 'all',
      environmentIds: [changeContext.open],
    });
    expect((await foreign.get(path())).status).toBe(404);
  });
});
