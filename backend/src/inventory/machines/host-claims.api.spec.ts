import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { decisionsOf } from '../../../test/support/decisions.js';
import { made } from '../../../test/support/environment-scene.js';
import { eventually } from '../../../test/support/eventually.js';
import { anyHostKey, clientWithScope } from '../../../test/support/host-changes.js';
import { firedSchedule } from '../../../test/support/fired-schedule.js';
import type { TestMember } from '../../../test/support/installation.js';
import { pausedRun } from '../../../test/support/paused-run.js';
import { releaseHosts } from '../../../test/support/release-hosts.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ProblemExtras } from '../../common/errors/problem.js';
import type { ExecutionView } from '../../executions/contract/execution.view.js';
import type { BulkServersView } from '../bulk/bulk-servers.view.js';
import type { EnrolmentView } from '../enrolment/enrolments.view.js';
import type { ProtectionView } from '../host-keys/protection.view.js';
import type { ImportView } from '../import/orders/import.view.js';
import type { ServerListView, ServerView } from '../servers.view.js';

type Fault = Pick<ProblemExtras, 'otherServers' | 'hiddenServers' | 'refusals'> & { code: string; detail: string };

interface Claim {
  hostname: string;
  port: number;
  hostKey?: { publicKey: string };
}

interface Refusal {
  code: string;
  text: string;
  otherServers: ProblemExtras['otherServers'];
  hiddenServers?: number;
}

const SERVERS = '/api/inventory/servers';
const SECRET_NAME = 'quartz';

let lab: RunLab;
/** Protected environment. All members see it and may register servers in it. */
let guarded: string;
/** Open environment. All members may register servers in it. */
let open: string;
let planId: string;
const actors: Record<string, TestMember> = {};
let numbered = 0;

const unique = () => {
  numbered += 1;
  return { name: `claim-${numbered}`, hostname: `10.77.${numbered >> 8}.${numbered & 255}` };
};
const base = () => ({ ...unique(), username: lab.hosts.sshd.user, sshKeyId: lab.keyId, port: lab.hosts.sshd.port });
const claimingServer = (environmentId: string, more: object = {}, api: ApiClient = lab.api) =>
  made(api.post(SERVERS, { ...base(), environmentId, ...more }));
const refusalOf = ({ status, body, text }: { status: number; body: Fault; text: string }): Refusal => {
  expect({ status, text }).toMatchObject({ status: 409 });
  const { code, otherServers, hiddenServers } = body;
  return { code, text, otherServers, hiddenServers };
};
const evidence = (word: string) => `echo ${word} >> ${lab.evidence}/ran`;
const dryStart = (name: string) => lab.tryStart(planId, { execution_mode: 'dry_run', targets: `name=${name}` });
const due = (id: string) =>
  lab.runward.database.query(
    `update executions set start_at = now() - interval '1 second', not_before = now() where id = $1`,
    [id],
  );
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const protection = async (id: string, api = lab.api) =>
  (await api.get<ProtectionView>(`${SERVERS}/${id}/protection`)).body;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3, spare: 1 });
  await lab.runward.worker();
  await lab.api.patch(`/api/environments/${lab.environmentId}`, { access: 'restricted', name: SECRET_NAME });
  guarded = await made(lab.api.post('/api/environments', { name: 'guarded', protected: true }));
  open = await lab.environment('open');
  for (const name of ['outsider', 'insider', 'approver'])
    actors[name] = await lab.runward.member(lab.admin, 'operator');
  actors.admin = lab.admin;
  const grant = (environmentId: string, { userId = '' } = {}, level: string) =>
    lab.api.put(`/api/environments/${environmentId}/grants/${userId}`, { level });
  await grant(lab.environmentId, actors.insider, 'run');
  await grant(guarded, actors.approver, 'approve');
  planId = await lab.plan([evidence('start')], { parallelSafe: true });
  expect((await lab.run(['true'])).status).toBe('SUCCEEDED');
});
afterAll(() => lab.close());

/**
 * Claims a host for the protected environment, through each route that creates or changes a server or its environment.
 */
const ROUTES: Record<string, (claim: Claim, api: ApiClient) => Promise<Refusal>> = {
  create: async (claim, api) =>
    refusalOf(await api.post<Fault>(SERVERS, { ...base(), environmentId: guarded, ...claim })),
  'change of the address': async ({ hostname, port }, api) => {
    const id = await claimingServer(guarded, {}, api);
    return refusalOf(await api.patch<Fault>(`${SERVERS}/${id}`, { hostname, port }));
  },
  'host keys': async ({ hostKey }, api) => {
    const id = await claimingServer(guarded, {}, api);
    return refusalOf(await api.put<Fault>(`${SERVERS}/${id}/host-keys`, { hostKeys: [hostKey] }));
  },
  'accepted host key': async ({ hostKey }, api) => {
    const id = await claimingServer(guarded, {}, api);
    const listed = lab.hosts.sshd.addresses
      .map((address) => lab.hosts.sshd.hostKeyOf(address))
      .find(({ type, publicKey }) => hostKey?.publicKey === `${type} ${publicKey}`);
    await lab.runward.database.query('update servers set seen_host_key = $2 where id = $1', [
      id,
      JSON.stringify(listed),
    ]);
    return refusalOf(await api.put<Fault>(`${SERVERS}/${id}/host-key`, { fingerprint: listed?.fingerprint }));
  },
  'upsert of a new server': async (claim, api) =>
    refusalOf(
      await api.put<Fault>(`${SERVERS}/by-external-id/cmdb/${unique().name}`, {
        ...base(),
        environmentId: guarded,
        ...claim,
      }),
    ),
  'upsert of a known server': async (claim, api) => {
    const [path, body] = [`${SERVERS}/by-external-id/cmdb/${unique().name}`, { ...base(), environmentId: guarded }];
    expect((await api.put(path, body)).status).toBe(201);
    return refusalOf(await api.put<Fault>(path, { ...body, ...claim }));
  },
  'import with preview': async (claim, api) => {
    const { sshKeyId, username } = base();
    const order = { format: 'json', content: JSON.stringify([{ ...unique(), ...claim }]), environmentId: guarded };
    const refusals: Refusal[] = [];
    for (const preview of ['true', 'false']) {
      const path = `${SERVERS}/import?wait=50&preview=${preview}`;
      const { body, text } = await api.post<ImportView>(path, { ...order, sshKeyId, username });
      expect({ status: body.status, text }).toMatchObject({ status: 'failed' });
      const { faults, otherServers, hiddenServers } = body;
      refusals.push({ code: faults[0]?.reason.code ?? '', text, otherServers, hiddenServers });
    }
    const listed = ({ code, otherServers, hiddenServers }: Refusal) => [code, otherServers, hiddenServers];
    expect(listed(refusals[0]!)).toEqual(listed(refusals[1]!));
    return refusals[1]!;
  },
  'change of many': async (claim, api) => {
    const id = await claimingServer(open, claim);
    const order = { serverIds: [id], action: 'change', environmentId: guarded };
    const preview = await api.post<BulkServersView>(`${SERVERS}/bulk?preview=true`, order);
    const { body, text } = await api.post<Fault>(`${SERVERS}/bulk`, order);
    await lab.api.delete(`${SERVERS}/${id}`);
    const { otherServers, hiddenServers = 0 } = body;
    expect(preview.body).toMatchObject({ otherServers, hiddenServers });
    return { code: body.refusals?.[0]?.reason.code ?? '', text, otherServers, hiddenServers };
  },
  'move to the environment': async (claim, api) => {
    const id = await claimingServer(open, claim);
    const refused = refusalOf(await api.patch<Fault>(`${SERVERS}/${id}`, { environmentId: guarded }));
    await lab.api.delete(`${SERVERS}/${id}`);
    return refused;
  },
};
const enrolment = async ({ hostname, hostKey }: Claim, api: ApiClient): Promise<Refusal> => {
  const { sshKeyId, username, port } = base();
  const order = { environmentId: guarded, sshKeyId, username, port, name: unique().name };
  const { body } = await api.post<{ id: string; token: string }>('/api/inventory/enrolments', order);
  const host = apiClient(lab.runward.url, { token: body.token });
  const report = { hostName: 'h', addresses: ['10.9.9.9'], address: hostname, hostKeys: [hostKey?.publicKey] };
  const { text } = await host.post<string>('/api/enrol', report);
  if (!text.includes('outcome refused')) return { code: text, text, otherServers: undefined };
  const refusalSeenBy = async (reader: ApiClient) =>
    (await reader.get<EnrolmentView>(`/api/inventory/enrolments/${body.id}`)).body.lastRefusal;
  const { otherServers, hiddenServers } = (await refusalSeenBy(api)) ?? {};
  expect(await refusalSeenBy(lab.api)).toMatchObject({
    otherServers: [{ environmentName: SECRET_NAME }],
    hiddenServers: 0,
  });
  return { code: 'host_proved_elsewhere', text, otherServers, hiddenServers };
};
const protecting = async (claim: Claim, api: ApiClient): Promise<Refusal> => {
  const environmentId = await lab.environment(unique().name);
  const id = await claimingServer(environmentId, claim);
  const refused = refusalOf(await api.patch<Fault>(`/api/environments/${environmentId}`, { protected: true }));
  await lab.api.delete(`${SERVERS}/${id}`);
  return refused;
};

interface Case {
  name: string;
  actor: string;
  form: string;
  claim: (address: string) => Claim;
  send: (claim: Claim, api: ApiClient) => Promise<Refusal>;
}

/** Host key of another machine, for claims that must not collide by key. */
const otherKey = { publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl' };

function cases(): Case[] {
  const { port } = lab.hosts.sshd;
  const forms: Record<string, (address: string) => Claim> = {
    address: (hostname) => ({ hostname, port }),
    'address written otherwise': (hostname) => ({ hostname: `::ffff:${hostname}`, port }),
    'host key alone': (hostname) => ({ hostname: unique().hostname, port, hostKey: lab.hosts.hostKey(hostname) }),
    both: (hostname) => ({ hostname, port, hostKey: lab.hosts.hostKey(hostname) }),
  };
  const KEYS_ONLY = ['host keys', 'accepted host key'];
  const found: Case[] = [];
  for (const [form, claim] of Object.entries(forms)) {
    for (const actor of Object.keys(actors))
      for (const [route, send] of Object.entries(ROUTES)) {
        if (KEYS_ONLY.includes(route) && form !== 'host key alone') continue;
        if (route === 'change of the address' && form === 'host key alone') continue;
        found.push({ name: `${route} · ${form} · ${actor}`, actor, form, claim, send });
      }
    const withKey = (address: string) => ({ hostKey: otherKey, ...claim(address) });
    found.push({ name: `enrolment · ${form}`, actor: 'outsider', form, claim: withKey, send: enrolment });
    found.push({ name: `protection · ${form}`, actor: 'admin', form, claim, send: protecting });
  }
  return found;
}

describe('a claim on a host that was proved in another environment', () => {
  it('is refused by every route for every member, and blocks no starts, schedules or runs of the proved server', async () => {
    const decisions = decisionsOf(() => lab.api);
    const running = await lab.start(
      await lab.plan([evidence('before'), { type: 'gate', message: 'Go on?' }, evidence('after')]),
      { targets: 'name=web-1' },
    );
    await pausedRun(lab, running.id);
    const planned = await lab.start(await lab.plan([evidence('planned')]), {
      ...{ targets: 'name=web-2', startAt: inAnHour() },
    });
    const schedule = await made(
      lab.api.post('/api/schedules', {
        ...{ name: 'nightly', planId: await lab.plan([evidence('scheduled')]), environmentId: lab.environmentId },
        ...{ execution_mode: 'auto', targets: 'name=web-3', everySeconds: 86_400 },
      }),
    );

    const all = cases();
    for (const [index, { name, actor, claim, send }] of all.entries()) {
      const victim = lab.servers[index % lab.servers.length]!;
      const address = lab.hosts.sshd.addresses[index % lab.servers.length]!;
      const { code, text, otherServers, hiddenServers } = await send(claim(address), actors[actor]!.api);
      expect([name, code]).toEqual([name, 'host_proved_elsewhere']);
      const sees = actor === 'insider' || actor === 'admin';
      if (!sees) expect([name, text]).toEqual([name, expect.not.stringContaining(SECRET_NAME)]);
      const named = otherServers?.map(({ serverName, environmentName }) => `${serverName} in ${environmentName}`);
      expect([name, named, hiddenServers ?? 0]).toEqual(
        sees ? [name, [`${victim.name} in ${SECRET_NAME}`], 0] : [name, [], 1],
      );
    }
    expect(all.length).toBeGreaterThanOrEqual(120);

    for (const { name } of lab.servers) expect([name, (await dryStart(name)).status]).toEqual([name, 201]);
    await decisions.decided(running.id, 'proceed', 'step-2');
    expect((await lab.settled(running.id)).status).toBe('SUCCEEDED');
    await due(planned.id);
    expect((await lab.settled(planned.id)).status).toBe('SUCCEEDED');
    const fired = await firedSchedule(lab, schedule);
    expect(fired).toMatchObject({ outcome: 'started' });
    expect((await lab.settled(fired.executionId ?? '')).status).toBe('SUCCEEDED');
    expect((await lab.left('ran')).split('\n').filter(Boolean).sort()).toEqual(
      ['before', 'after', 'planned', 'scheduled'].sort(),
    );
  }, 240_000);

  it('is not blocked by a later proof of the claiming server; both sides see the collision', async () => {
    const [victim] = lab.servers;
    const id = await claimingServer(guarded, {}, actors.outsider!.api);
    const { port } = lab.hosts.sshd;
    // Simulates a name that resolves to another address than at registration.
    await lab.runward.database.query(
      `insert into host_proofs (tenant_id, server_id, address, port, fingerprint, proved_at, proved_by)
        values ($1, $2, '127.0.1.1', $3, '', now(), 'check')`,
      [lab.admin.tenantId, id, port],
    );
    expect((await dryStart('web-1')).status).toBe(201);
    expect(await protection(id)).toMatchObject({
      ...{ state: 'proved', protectedBy: [] },
      provedElsewhere: [{ serverName: 'web-1', environmentName: SECRET_NAME }],
    });
    expect(await protection(id, actors.outsider!.api)).toMatchObject({ provedElsewhere: [], hiddenServers: 1 });
    // A server that was not proved before is blocked.
    const late = await claimingServer(open, { hostname: '127.0.1.1' });
    expect(await protection(late)).toMatchObject({
      state: 'environment_open',
      protectedBy: [{ serverId: id, environmentName: 'guarded', by: 'address' }],
    });
    expect((await protection(victim!.id)).protectedBy).toEqual([]);
    for (const each of [late, id]) expect((await lab.api.delete(`${SERVERS}/${each}`)).status).toBe(204);
  });

  it('can be confirmed by admins only: new starts are refused by name, begun runs continue, waiting runs are cancelled', async () => {
    const { port } = lab.hosts.sshd;
    const decisions = decisionsOf(() => lab.api);
    const running = await lab.start(
      await lab.plan([evidence('before'), { type: 'gate', message: 'Go on?' }, evidence('confirmed')]),
      { targets: 'name=web-1' },
    );
    await pausedRun(lab, running.id);
    const planned = await lab.start(await lab.plan(['true']), { targets: 'name=web-2', startAt: inAnHour() });
    const claim = { ...base(), hostname: '127.0.1.1', port, environmentId: guarded, confirmHosts: true };
    for (const name of ['outsider', 'insider', 'approver']) {
      const { status, body } = await actors[name]!.api.post<Fault>(SERVERS, claim);
      expect([name, status, body.code]).toEqual([name, 403, 'insufficient_role']);
    }
    const id = await made(lab.api.post(SERVERS, claim));
    expect(await protection(id)).toMatchObject({ state: 'confirmed', provedElsewhere: [] });
    const refused = (await dryStart('web-1')) as unknown as { status: number; body: Fault; text: string };
    expect(refusalOf(refused)).toMatchObject({
      code: 'protected_host',
      otherServers: [{ name: 'web-1', by: 'address', serverId: id, environmentName: 'guarded' }],
    });
    const { items } = (await lab.api.get<{ items: object[] }>(`/api/audit-logs?resourceId=${id}`)).body;
    expect(items).toContainEqual(
      expect.objectContaining({
        action: 'server.claim_host',
        after: { otherServers: [expect.objectContaining({ serverName: 'web-1', environmentName: SECRET_NAME })] },
      }),
    );
    await decisions.decided(running.id, 'proceed', 'step-2');
    expect((await lab.settled(running.id)).status).toBe('SUCCEEDED');
    expect(await lab.left('ran')).toContain('confirmed');
    const other = await claimingServer(guarded, { hostname: '127.0.1.2', confirmHosts: true });
    await due(planned.id);
    const cancelled = await lab.settled(planned.id);
    expect(cancelled).toMatchObject({
      status: 'CANCELLED',
      statusReason: {
        code: 'protected_host',
        text: expect.stringMatching(
          /^"web-2" .*An approver confirmed that after this run was accepted. Nothing was run.$/,
        ),
      },
    });
    for (const each of [id, other]) expect((await lab.api.delete(`${SERVERS}/${each}`)).status).toBe(204);
    expect(((await dryStart('web-1')) as { body: object }).body).toMatchObject({ code: 'protected_host' });
    await releaseHosts(lab.api, guarded);
    expect((await dryStart('web-1')).status).toBe(201);
  });
});

describe('a server of a protected environment', () => {
  it('protects nothing without a proof, and any member who may register servers can delete it', async () => {
    const { api } = actors.outsider!;
    const hostname = '10.78.0.1';
    const claims = await claimingServer(guarded, { hostname }, api);
    expect(await protection(claims, api)).toMatchObject({ state: 'not_proved', since: null, proofs: [] });
    const there = await claimingServer(open, { hostname });
    const start = async () => {
      const plan = await lab.plan(['true'], { environmentId: open, targets: 'name=claim-*' });
      return lab.tryStart(plan, { execution_mode: 'dry_run' });
    };
    expect((await start()).status).toBe(201);
    // An approver confirms the host without a login.
    const confirm = (confirmed: boolean, by = actors.approver!.api) =>
      by.put<ProtectionView & Fault>(`${SERVERS}/${claims}/protection`, { confirmed });
    expect((await confirm(true, api)).body.code).toBe('grant_required');
    expect((await confirm(true)).body).toMatchObject({ state: 'confirmed', since: expect.any(String) });
    expect((await start()).body).toMatchObject({ code: 'protected_host' });
    expect((await api.delete<Fault>(`${SERVERS}/${claims}`)).body.code).toBe('grant_required');
    expect((await confirm(false)).body).toMatchObject({ state: 'not_proved', since: null });
    expect((await start()).body).toMatchObject({ code: 'protected_host' });
    await releaseHosts(lab.api, guarded);
    expect((await start()).status).toBe(201);
    expect((await api.delete(`${SERVERS}/${claims}`)).status).toBe(204);
    expect((await lab.api.put<Fault>(`${SERVERS}/${there}/protection`, { confirmed: true })).body.code).toBe(
      'not_protected',
    );
    await lab.api.delete(`${SERVERS}/${there}`);
  });

  it('protects what a login proved, records the kind of login, and keeps keys that are unpinned later', async () => {
    const sshd = await lab.runward.member(lab.admin, 'operator');
    const environmentId = await made(lab.api.post('/api/environments', { name: 'proving', protected: true }));
    const [address = ''] = lab.spare;
    const id = await claimingServer(
      environmentId,
      { hostname: address, hostKey: lab.hosts.hostKey(address) },
      sshd.api,
    );
    const { fingerprint } = lab.hosts.sshd.hostKeyOf(address);
    const proved = await eventually('the check proves the host', async () => {
      const found = await protection(id);
      return found.state === 'not_proved' ? null : found;
    });
    expect(proved).toMatchObject({ state: 'proved', since: expect.any(String) });
    expect(proved.proofs).toEqual(
      [null, fingerprint].map((key): unknown =>
        expect.objectContaining({ address, fingerprint: key, provedHow: 'schedule', confirmedAt: null }),
      ),
    );
    const unpin = (by: ApiClient) => by.put<Fault>(`${SERVERS}/${id}/host-keys`, { hostKeys: [] });
    expect((await unpin(sshd.api)).body).toMatchObject({
      code: 'grant_required',
      detail: expect.stringContaining('"proving" is protected: changing the host keys of'),
    });
    expect((await unpin(lab.api)).status).toBe(200);
    expect((await protection(id)).proofs).toContainEqual(
      expect.objectContaining({ fingerprint, provedHow: 'schedule' }),
    );
    const elsewhere = await sshd.api.post<Fault>(SERVERS, {
      ...base(),
      environmentId: open,
      hostKey: lab.hosts.hostKey(address),
    });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([409, 'protected_host']);
  });
});

describe('a claim without a proof', () => {
  it('blocks no start: registered by a server, by an enrolling host or by a bare host key', async () => {
    const { api } = actors.outsider!;
    const claimed = { ...unique(), hostKey: { publicKey: anyHostKey() } };
    await claimingServer(open, claimed);
    const plan = await lab.plan(['true'], { environmentId: open, targets: `name=${claimed.name}` });
    const claim = { hostname: claimed.hostname, port: lab.hosts.sshd.port, hostKey: claimed.hostKey };
    await claimingServer(guarded, claim, api);
    expect(await enrolment({ ...claim, hostname: unique().hostname }, api)).toMatchObject({
      text: expect.stringContaining('outcome registered'),
    });
    const bare = await claimingServer(guarded, {}, api);
    const pinned = await api.put(`${SERVERS}/${bare}/host-keys`, { hostKeys: [claimed.hostKey] });
    expect(pinned.status).toBe(200);
    expect((await lab.tryStart(plan, { execution_mode: 'dry_run' })).status).toBe(201);
  });

  it('cannot be confirmed with a token that is restricted to other environments', async () => {
    const api = await clientWithScope(lab.runward.url, lab.api, { access: 'all', environmentIds: [guarded, open] });
    const { port } = lab.hosts.sshd;
    const claim = { hostname: '127.0.1.1', port, confirmHosts: true };
    const id = await claimingServer(guarded, {}, api);
    const order = { format: 'json', content: '[]', environmentId: guarded, confirmHosts: true };
    const tries = {
      create: await api.post<Fault>(SERVERS, { ...base(), environmentId: guarded, ...claim }),
      change: await api.patch<Fault>(`${SERVERS}/${id}`, claim),
      upsert: await api.put<Fault>(`${SERVERS}/by-external-id/cmdb/${id}`, {
        ...{ ...base(), environmentId: guarded, ...claim },
      }),
      'host keys': await api.put<Fault>(`${SERVERS}/${id}/host-keys`, { hostKeys: [], confirmHosts: true }),
      'host key': await api.put<Fault>(`${SERVERS}/${id}/host-key`, {
        ...{ fingerprint: `SHA256:${'A'.repeat(43)}`, confirmHosts: true },
      }),
      protection: await api.put<Fault>(`${SERVERS}/${id}/protection`, { confirmed: true, confirmHosts: true }),
      import: await api.post<Fault>(`${SERVERS}/import`, order),
      bulk: await api.post<Fault>(`${SERVERS}/bulk`, {
        ...{ serverIds: [id], action: 'change', environmentId: guarded, confirmHosts: true },
      }),
      environment: await api.patch<Fault>(`/api/environments/${open}`, { protected: true, confirmHosts: true }),
    };
    for (const [name, { status, body }] of Object.entries(tries))
      expect([name, status, body.code]).toEqual([name, 403, 'insufficient_scope']);
    expect((await dryStart('web-1')).status).toBe(201);
    await lab.api.delete(`${SERVERS}/${id}`);
  });
});

describe('a server of a protected environment that protects no host yet', () => {
  it('is listed as such until its address or host key is proved or confirmed', async () => {
    const environmentId = await made(
      lab.api.post('/api/environments', { name: 'not yet', protected: true, checkIntervalSeconds: null }),
    );
    const listed = async (query = '') => {
      const { body } = await lab.api.get<ServerListView>(`${SERVERS}?environmentId=${environmentId}${query}`);
      return body.items.map(({ name, protection: state }) => `${name} ${state}`);
    };
    const count = async () => {
      const query = `environmentId=${environmentId}&protection=not_proved&count=true&limit=1`;
      return (await lab.api.get<ServerListView>(`${SERVERS}?${query}`)).body.total;
    };
    const { api } = actors.outsider!;
    const byName = await claimingServer(environmentId, { name: 'by-name', hostname: 'db.invalid' }, api);
    await claimingServer(environmentId, { name: 'by-address', hostname: '10.88.0.1' });
    expect(await listed('&sort=name')).toEqual(['by-address confirmed', 'by-name not_proved']);
    expect([await listed('&protection=not_proved'), await count()]).toEqual([['by-name not_proved'], 1]);
    const confirm = (by: ApiClient) => by.put<ProtectionView>(`${SERVERS}/${byName}/protection`, { confirmed: true });
    // A confirmed name does not identify a machine.
    expect((await confirm(lab.api)).body).toMatchObject({ state: 'not_proved', since: null });
    const pin = (by: ApiClient, publicKey = anyHostKey()) =>
      by.put<ServerView & Fault>(`${SERVERS}/${byName}/host-keys`, { hostKeys: [{ publicKey }] });
    const pinned = await pin(lab.api);
    expect(pinned.body).toMatchObject({ protection: 'confirmed' });
    expect([await listed('&protection=not_proved'), await count()]).toEqual([[], 0]);
  });

  it('gets its first host keys from members who may register it, and later ones from approvers only', async () => {
    const { api } = actors.outsider!;
    const id = await claimingServer(guarded, {}, api);
    const pin = (by: ApiClient, ...keys: string[]) =>
      by.put<ServerView & Fault>(`${SERVERS}/${id}/host-keys`, { hostKeys: keys.map((publicKey) => ({ publicKey })) });
    expect((await pin(api, anyHostKey())).body).toMatchObject({ protection: 'not_proved' });
    for (const keys of [[anyHostKey()], []]) {
      const { body } = await pin(api, ...keys);
      expect(body).toMatchObject({
        code: 'grant_required',
        detail: expect.stringMatching(
          /^"guarded" is protected: changing the host keys of "claim-\d+" needs the grant "approve"/,
        ),
      });
    }
    expect((await pin(actors.approver!.api, anyHostKey())).body).toMatchObject({ protection: 'confirmed' });
    expect((await api.delete<Fault>(`${SERVERS}/${id}`)).body.code).toBe('grant_required');
    expect((await actors.approver!.api.delete(`${SERVERS}/${id}`)).status).toBe(204);
  });
});

describe('a start on several protected hosts', () => {
  it('names all of them, so that other hosts can be selected', async () => {
    const environmentId = await lab.environment('many');
    for (let each = 0; each < 2; each += 1) {
      const { hostname, name } = unique();
      await claimingServer(guarded, { hostname }, lab.api);
      await claimingServer(environmentId, { hostname, name: `many-${name}` });
    }
    await claimingServer(environmentId, { name: 'many-free' });
    const plan = await lab.plan(['true'], { environmentId });
    const refused = await lab.tryStart(plan, { execution_mode: 'dry_run' });
    const { detail, otherServers } = refused.body as unknown as ExecutionView & Fault;
    expect(detail).toMatch(/^"many-claim-\d+", "many-claim-\d+" have the address or host key of servers in protected/);
    expect(otherServers).toHaveLength(2);
    expect((await lab.tryStart(plan, { execution_mode: 'dry_run', targets: 'name=many-free' })).status).toBe(201);
  });
});
