import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { type ApiClient, apiClient } from '../../test/support/api-client.js';
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
import { operations } from '../../test/support/openapi.js';
import { generateKeyPair } from '../transport/keys/key-material.js';
import { parseHostKey } from '../transport/keys/host-key.js';
import { Server } from './fields/server.entity.js';
import { HOST_COLUMNS, SERVER_COLUMNS } from './fields/server-fields.js';

const SERVERS = '/api/inventory/servers';

let runward: Installation;
let admin: TestMember;
let changeContext: ChangeContext;
let guarded: string;
let open: string;
let jumpId: string;
/** Clients without the right to approve in the protected environment, by description. `withGrant` has those with it. */
const without: Record<string, ApiClient> = {};
const withGrant: Record<string, ApiClient> = {};
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  await runward.worker();
  admin = await runward.tenant('acme');
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
  const sshKeyId = await made(admin.api.post('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } }));
  const environment = (name: string, more: object = {}) => made(admin.api.post('/api/environments', { name, ...more }));
  guarded = await environment('guarded', { protected: true, access: 'restricted' });
  open = await environment('open');
  const grant = (userId: string, level: string) =>
    admin.api.put(`/api/environments/${guarded}/grants/${userId}`, { level });
  const [outsider, runner, approver] = [
    await runward.member(admin, 'operator'),
    await runward.member(admin, 'operator'),
    await runward.member(admin, 'operator'),
  ];
  await grant(runner.userId, 'run');
  await grant(approver.userId, 'approve');
  const account = async (role: string) => {
    const id = await made(admin.api.post('/api/service-accounts', { name: `machine ${role}`, role }));
    await grant(id, 'run');
    const { body } = await admin.api.post<{ token: string }>(`/api/service-accounts/${id}/tokens`, { name: 'token' });
    return apiClient(runward.url, body);
  };
  const narrowed = (by: TestMember, ...environmentIds: string[]) =>
    clientWithScope(runward.url, by.api, { access: 'all', environmentIds });
  Object.assign(without, {
    'operator without a grant': outsider.api,
    'operator with run': runner.api,
    'operator with run, token of the environment': await narrowed(runner, guarded),
    'service account with run': await account('operator'),
    'service account with role admin': await account('admin'),
    'admin, token of another environment': await narrowed(admin, open),
    'approver, token of another environment': await narrowed(approver, open),
  });
  Object.assign(withGrant, {
    approver: approver.api,
    'approver, token of both environments': await narrowed(approver, guarded, open),
    admin: admin.api,
  });
  const server = (name: string, environmentId: string) =>
    made(
      admin.api.post(SERVERS, {
        ...{ name, hostname: `${name}.invalid`, username: 'deploy', sshKeyId, environmentId },
      }),
    );
  const ecdsa = parseHostKey((await generateKeyPair({ type: 'ecdsa' })).publicKey);
  jumpId = await server('jump-before', open);
  changeContext = {
    ...{ approver: admin.api, sshKeyId, open },
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

async function register(environmentId: string, more: object = {}): Promise<ChangedServer> {
  numbered += 1;
  const name = `server-${numbered}`;
  const publicKey = anyHostKey();
  const hostname = `10.98.${numbered >> 8}.${numbered & 255}`;
  const id = await made(
    admin.api.post(SERVERS, {
      ...{ name, hostname, username: 'deploy', sshKeyId: changeContext.sshKeyId, environmentId, jumpServerId: jumpId },
      ...{ externalSource: 'cmdb', externalId: name, hostKey: { publicKey } },
      ...more,
    }),
  );
  return { id, name, hostname, externalId: name, environmentId, publicKey };
}

/**
 * Returns the columns that decide which machine the server is and where it belongs; undefined: the server is deleted.
 */
async function stored({ id }: ChangedServer): Promise<string | undefined> {
  const columns = runward.app
    .get(DataSource)
    .getMetadata(Server)
    .columns.filter(({ propertyName }) => ['host', 'place'].includes(SERVER_COLUMNS[propertyName as keyof Server]))
    .map(({ databaseName }) => databaseName);
  const [row] = await runward.database.query<object>(`select ${columns.join()} from servers where id = $1`, [id]);
  return row && JSON.stringify(row);
}

/** Also deletes the servers behind it, and records of departed servers. */
const remove = async (id: string | undefined) => {
  await runward.database.query('delete from servers where jump_server_id = $1', [id]);
  await runward.database.query('delete from servers where id = $1', [id]);
  await runward.database.query('delete from departed_servers');
};

/**
 * Tries each change through each route, for each caller.
 * @returns number of cases, routes that changed something, and cases with an unexpected result
 */
async function sweepChanges(
  changes: readonly [string, RequestedHost][],
  register: () => Promise<ChangedServer>,
  { jump = changeContext.jump, only }: { jump?: ChangeContext['jump']; only?: string[] } = {},
) {
  const all = [
    ...Object.entries(without).map(([who, api]) => ({ who, api, allowed: false })),
    ...Object.entries(withGrant).map(([who, api]) => ({ who, api, allowed: true })),
  ];
  const callers = only ? all.filter(({ who }) => only.includes(who)) : all;
  const servers = new Map<string, ChangedServer>();
  const effective = new Set<string>();
  const differences: string[] = [];
  let count = 0;
  for (const { who, api, allowed } of callers)
    for (const [route, { takes, send }] of Object.entries(CHANGE_ROUTES)) {
      const tried = changes.filter(([, change]) => takes(change));
      const pairs: HostChange[] = [];
      for (const [what, wanted] of tried) {
        const known = servers.get(what);
        // An import with pruning also deletes other servers.
        const server = known && (await stored(known)) !== undefined ? known : await register();
        servers.set(what, server);
        pairs.push([server, requestedFields(server, wanted)]);
      }
      const before = await Promise.all(pairs.map(([server]) => stored(server)));
      await send(api, pairs, { ...changeContext, jump });
      const after = await Promise.all(pairs.map(([server]) => stored(server)));
      for (const [index, [what]] of tried.entries()) {
        const changed = before[index] !== after[index];
        count += 1;
        if (changed !== allowed) differences.push(`${route} · ${what} · ${who}`);
        if (!changed) continue;
        if (allowed) effective.add(route);
        await remove(servers.get(what)?.id);
        servers.delete(what);
      }
    }
  for (const { id } of servers.values()) await remove(id);
  return { count, effective: [...effective].sort(), differences };
}

describe('the columns of a server', () => {
  it('are classified, and those that identify the machine are part of the sweep', () => {
    const columns = runward.app
      .get(DataSource)
      .getMetadata(Server)
      .columns.map(({ propertyName }) => propertyName);
    expect(Object.keys(SERVER_COLUMNS).sort()).toEqual(columns.sort());
    expect(Object.keys(hostChanges(changeContext)).sort()).toEqual([...HOST_COLUMNS].sort());
  });

  it('are written only by routes in the sweep', () => {
    const SWEPT_ROUTES = [
      ...['changeServers', 'updateServer', 'deleteServer', 'setHostKeys', 'acceptHostKey', 'upsertServer'],
      ...['importServers', 'applyImport'],
    ];
    // Operations that register or observe servers, confirm hosts, or change variables and SSH keys.
    const OTHER_ROUTES = [
      ...['createServer', 'createEnrolment', 'revokeEnrolment', 'enrolHost', 'verifyEnrolledHost'],
      ...['requestChecks', 'checkServer', 'diagnoseServer', 'setServerProtection', 'shareHostKey'],
      ...['markSharedAddress', 'unmarkSharedAddress'],
      ...['putServerVariable', 'deleteServerVariable', 'retryKeyRotation', 'giveUpKeyRotation'],
    ];
    const written = operations.filter(
      ({ method, path }) => method !== 'GET' && /inventory|enrol|key-rotations/.test(path),
    );
    expect(written.map(({ operationId }) => operationId).sort()).toEqual([...SWEPT_ROUTES, ...OTHER_ROUTES].sort());
  });
});

describe('the host of a server in a protected environment', () => {
  it('can be changed, moved and deleted by approvers only, by every route', async () => {
    const changes = [...Object.values(hostChanges(changeContext)).flat(), ...departures(changeContext)];
    const { count, effective, differences } = await sweepChanges(changes, () => register(guarded));
    expect(differences).toEqual([]);
    expect(effective).toEqual(Object.keys(CHANGE_ROUTES).sort());
    expect(count).toBeGreaterThanOrEqual(500);
  }, 240_000);

  it('is reached through a jump server that only approvers can change', async () => {
    const further = await register(open, { jumpServerId: null });
    const changes = Object.values(hostChanges({ ...changeContext, jump: further })).flat();
    const server = async () => {
      const jump = await register(open);
      await register(guarded, { jumpServerId: jump.id });
      return jump;
    };
    const { count, differences } = await sweepChanges(changes, server, {
      jump: further,
      only: ['operator without a grant', 'operator with run', 'admin, token of another environment', 'approver'],
    });
    expect(differences).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(150);
  }, 240_000);
});
