import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { made } from '../../../../test/support/environment-scene.js';
import type { TestMember } from '../../../../test/support/installation.js';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import { type SshHosts, startSshHosts } from '../../../../test/support/ssh-hosts.js';
import type { ServerView } from '../../../inventory/servers.view.js';

interface Fault {
  code: string;
  detail: string;
}

const SERVERS = '/api/inventory/servers';
const SPELLINGS = [
  ...['127.0.0.1', '127.1', '127.0.1', '0177.0.0.1', '0x7f.0.0.1', '0x7f000001', '2130706433', '127.000.000.001'],
  ...['::ffff:127.0.0.1', '::FFFF:7F00:1', '0:0:0:0:0:ffff:127.0.0.1', '[::ffff:127.0.0.1]', '::ffff:127.0.0.1%lo'],
  ...['::ffff:127.0.0.1%1', '::ffff:7f00:1%lo', '0.0.0.0', '0', '00.0.0.0', '::', '0::0', '::ffff:0.0.0.0', '[::]'],
  ...['::%lo', '0.0.0.0.', '127.0.0.1.', '127.0.0.1%lo', 'localhost', 'LOCALHOST', 'localhost.', 'ip6-localhost'],
];

let lab: RunLab;
let machine: SshHosts;
let operator: TestMember;
let guarded: string;
let open: string;
let container: SshHosts;
let prime: string;
let planId: string;
let numbered = 0;

const lastCheck = async (id: string) => (await lab.api.get<ServerView>(`${SERVERS}/${id}`)).body.lastCheck;

beforeAll(async () => {
  [lab, machine, container] = await Promise.all([
    startRunLab(),
    startSshHosts({ addresses: ['127.0.0.1', '127.0.0.2'], oneMachine: true, extraConfig: 'LogLevel VERBOSE' }),
    startSshHosts({ addresses: ['127.0.0.1'] }),
  ]);
  await lab.runward.worker();
  operator = await lab.runward.member(lab.admin, 'operator');
  for (const { sshd } of [machine, container]) await sshd.addAuthorizedKey(lab.hosts.key.publicKey);
  guarded = await made(lab.api.post('/api/environments', { name: 'guarded', protected: true }));
  open = await lab.environment('open');
  prime = (await server(guarded, '127.0.0.1').then(({ body }) => body)).id;
  planId = await lab.plan([`echo ran >> ${lab.evidence}/reached`], { environmentId: open });
});
afterAll(async () => {
  await machine.stop();
  await container.stop();
  await lab.close();
});

function server(environmentId: string, hostname: string, more: object = {}, by = lab.api) {
  numbered += 1;
  return by.post<ServerView & Fault>(SERVERS, {
    name: `host-${numbered}`,
    hostname,
    port: machine.sshd.port,
    username: machine.sshd.user,
    sshKeyId: lab.keyId,
    environmentId,
    hostKey: machine.hostKey(),
    ...more,
  });
}

const share = (shared: boolean, by = lab.api, id = prime) =>
  by.put<ServerView & Fault>(`${SERVERS}/${id}/host-key/shared`, { shared, reason: 'one image' });
const remove = (id: string) => lab.api.delete(`${SERVERS}/${id}`);

async function tryRun(mode = 'auto'): Promise<string> {
  const started = await lab.tryStart(planId, { execution_mode: mode }, operator.api);
  if (started.status !== 201) return (started.body as unknown as Fault).code;
  const { id } = await lab.settled(started.body.id);
  const [result] = await lab.results(id);
  return `${result?.status} ${result?.reason?.code ?? null}`;
}

describe('a host of a protected environment', () => {
  it('is not reached without approval under any spelling of its address or any name', async () => {
    // Otherwise its own host key would identify the machine at any address.
    expect((await share(true)).status).toBe(200);
    const outcomes = new Map<string, string>();
    for (const hostname of SPELLINGS) {
      const registered = await server(open, hostname, {}, operator.api);
      if (registered.status !== 201) {
        outcomes.set(hostname, `${registered.status}`);
        continue;
      }
      outcomes.set(hostname, await tryRun());
      expect([hostname, await lab.left('reached')]).toEqual([hostname, '']);
      await remove(registered.body.id);
    }
    const kinds = new Set(outcomes.values());
    expect([...outcomes].filter(([, outcome]) => outcome.startsWith('SUCCEEDED'))).toEqual([]);
    expect(outcomes.get('::ffff:127.0.0.1')).toBe('protected_host');
    expect(outcomes.get('localhost')).toBe('UNREACHABLE protected_host');
    expect(kinds).toContain('400');
  }, 120_000);

  it('receives no login from a run, a dry run or a check when only its address identifies it', async () => {
    const byName = (await server(open, 'localhost', {}, operator.api)).body.id;
    for (const mode of ['auto', 'dry_run']) expect(await tryRun(mode)).toBe('UNREACHABLE protected_host');
    const checked = await operator.api.post<ServerView>(`${SERVERS}/${byName}/check`);
    expect(checked.body.lastCheck).toMatchObject({
      state: 'protected_host',
      reason: { text: expect.stringContaining('run it there, where it can be approved') },
    });
    expect(await lab.left('reached')).toBe('');
    await remove(byName);
  });

  it('is not reached on another port either, unless an admin marked the address as shared by several machines', async () => {
    const other = { port: container.sshd.port, username: container.sshd.user, hostKey: container.hostKey() };
    const outcomes: Record<string, string> = {};
    for (const hostname of ['127.0.0.1', '::ffff:127.0.0.1', 'localhost']) {
      const { id } = (await server(open, hostname, other, operator.api)).body;
      outcomes[hostname] = await tryRun();
      const checked = await operator.api.post<ServerView>(`${SERVERS}/${id}/check`);
      expect([hostname, checked.body.state]).toEqual([hostname, 'protected_host']);
      await remove(id);
    }
    expect(outcomes).toEqual({
      ...{ '127.0.0.1': 'protected_host', '::ffff:127.0.0.1': 'protected_host' },
      localhost: 'UNREACHABLE protected_host',
    });
    expect(await lab.left('reached')).toBe('');
    const { id } = (await server(open, 'localhost', other, operator.api)).body;
    const mark = '/api/inventory/shared-addresses/127.0.0.1';
    expect((await lab.api.put(mark, { reason: 'containers' })).status).toBe(200);
    expect(await tryRun()).toBe('SUCCEEDED null');
    expect((await lab.api.delete(mark)).status).toBe(204);
    await remove(id);
  });

  it('is also recognised by the address at which it was last reached', async () => {
    const address = '127.0.0.2';
    await lab.api.patch(`${SERVERS}/${prime}`, { hostname: 'localhost' });
    const pinned = await lab.api.post<ServerView>(`${SERVERS}/${prime}/check`);
    await lab.api.put(`${SERVERS}/${prime}/host-key`, { fingerprint: pinned.body.seenHostKey?.fingerprint });
    const checked = await lab.api.post<ServerView>(`${SERVERS}/${prime}/check`);
    expect(checked.body).toMatchObject({ lastReachedAddress: '127.0.0.1', lastCheck: { state: 'reachable' } });
    const same = (await server(open, '127.0.0.1')).body.id;
    expect(await tryRun()).toBe('protected_host');
    await remove(same);
    const other = (await server(open, address)).body.id;
    expect(await tryRun()).toBe('SUCCEEDED null');
    await remove(other);
    await lab.api.patch(`${SERVERS}/${prime}`, { hostname: '127.0.0.1' });
    const again = await lab.api.post<ServerView>(`${SERVERS}/${prime}/check`);
    await lab.api.put(`${SERVERS}/${prime}/host-key`, { fingerprint: again.body.seenHostKey?.fingerprint });
  });

  it('is recognised by its host key at any other address, unless an admin marked the key as shared', async () => {
    const twin = (await server(open, '127.0.0.2', {}, operator.api)).body;
    expect(twin.hostKey?.shared).toBe(true);
    expect((await share(false)).body.hostKey).toMatchObject({ shared: false });
    for (const mode of ['auto', 'dry_run']) {
      const refused = await lab.tryStart(planId, { execution_mode: mode }, operator.api);
      expect([refused.status, (refused.body as unknown as Fault).code]).toEqual([409, 'protected_host']);
      expect((refused.body as unknown as Fault).detail).toContain('ask an admin to mark the key as shared');
    }
    const checked = await operator.api.post<ServerView>(`${SERVERS}/${twin.id}/check`);
    expect(checked.body.lastCheck?.state).toBe('protected_host');
    expect((await share(true)).status).toBe(200);
    expect(await tryRun()).toBe('SUCCEEDED null');
    await share(false);
    await remove(twin.id);
  });

  it('rejects its key on servers of other environments: at registration, acceptance and move', async () => {
    const registered = await server(open, '127.0.0.2', {}, operator.api);
    expect([registered.status, registered.body.code]).toEqual([409, 'protected_host']);
    const unpinned = (await server(open, '127.0.0.2', { hostKey: undefined }, operator.api)).body.id;
    const { body } = await operator.api.post<ServerView>(`${SERVERS}/${unpinned}/check`);
    expect(body.lastCheck?.state).toBe('protected_host');
    const { fingerprint } = machine.sshd.hostKey;
    const accepted = await operator.api.put<Fault>(`${SERVERS}/${unpinned}/host-key`, { fingerprint });
    expect([accepted.status, accepted.body.code]).toEqual([409, 'protected_host']);
    await remove(unpinned);
    const within = (await server(guarded, '127.0.0.2')).body.id;
    const moved = await lab.api.patch<Fault>(`${SERVERS}/${within}`, { environmentId: open });
    expect([moved.status, moved.body.code]).toEqual([409, 'protected_host']);
    await remove(within);
  });

  it('can be checked and run in its own environment', async () => {
    expect((await lab.api.post<ServerView>(`${SERVERS}/${prime}/check`)).body.lastCheck?.state).toBe('reachable');
    const plan = await lab.plan(['true'], { environmentId: guarded });
    const { id } = await lab.start(plan);
    const digest = (await lab.get(id)).digest;
    expect((await lab.api.post(`/api/executions/${id}/approve`, { digest })).status).toBeGreaterThan(0);
    await lab.api.post(`/api/executions/${id}/cancel`);
  });
});

describe('marking a host key as shared', () => {
  it('is for admins, is audited, and is refused where no key is pinned', async () => {
    expect((await share(true, operator.api)).status).toBe(403);
    const bare = (await server(open, '127.0.0.3', { hostKey: undefined })).body.id;
    const refused = await share(true, lab.api, bare);
    expect([refused.status, refused.body.code]).toEqual([409, 'host_key_not_pinned']);
    await remove(bare);
    await share(true);
    await share(false);
    const { items } = (await lab.api.get<{ items: object[] }>(`/api/audit-logs?resourceId=${prime}&limit=2`)).body;
    expect(items).toEqual([
      expect.objectContaining({ action: 'server.unshare_host_key' }),
      expect.objectContaining({
        action: 'server.share_host_key',
        after: expect.objectContaining({ reason: 'one image', hostKey: expect.objectContaining({ shared: true }) }),
      }),
    ]);
  });
});

describe('the last check of a server', () => {
  it('reports the finding of the last run, whether its step ran a command or waited', async () => {
    const { id } = await lab.run(['true']);
    const [{ id: web } = { id: '' }] = lab.servers;
    expect(await lastCheck(web)).toMatchObject({ state: 'reachable', source: 'run', executionId: id });
    const port = lab.hosts.sshd.port;
    const { id: waiting } = await lab.run([{ key: 'up', type: 'wait', port }]);
    expect(await lastCheck(web)).toMatchObject({ state: 'reachable', source: 'run', executionId: waiting });
    const known = (await lab.api.get<ServerView>(`${SERVERS}/${web}`)).body;
    expect(known).toMatchObject({ state: 'reachable', latencyMs: expect.any(Number) });
    await lab.hosts.sshd.stop();
    const { id: second } = await lab.run(['true']);
    expect(await lastCheck(web)).toMatchObject({ state: 'unreachable', source: 'run', executionId: second });
  });
});
