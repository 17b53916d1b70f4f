import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import { changePolicy } from '../../../../test/support/environment-policy.js';
import { type SshHosts, startSshHosts } from '../../../../test/support/ssh-hosts.js';
import { eventually } from '../../../../test/support/eventually.js';

let lab: RunLab;
let bastion: SshHosts;
let old: SshHosts;
let bastionId: string;
let bastionEnvironment: string;

const LEGACY = {
  HostKeyAlgorithms: 'ssh-rsa',
  KexAlgorithms: 'diffie-hellman-group14-sha1',
  Ciphers: 'aes128-cbc',
  MACs: 'hmac-md5',
};
const ADDRESSES = ['127.0.1.1', '127.0.1.2', '127.0.1.3'];

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3, spare: 1 });
  bastion = await startSshHosts({
    addresses: ['127.0.6.1'],
    extraConfig: `PermitOpen ${ADDRESSES.map((address) => `${address}:*`).join(' ')}`,
  });
  old = await startSshHosts({
    addresses: ['127.0.6.2'],
    hostKeyType: 'rsa',
    extraConfig: `${Object.entries(LEGACY)
      .map((each) => each.join(' '))
      .join('\n')}\nPermitOpen 127.0.1.1:*`,
  });
  const { sshd, key } = bastion;
  const made = await lab.api.post<{ id: string }>('/api/ssh-keys', { name: 'bastion', privateKey: key.privateKey });
  bastionEnvironment = await lab.environment('edge');
  const server = await lab.server({
    name: 'bastion',
    hostname: '127.0.6.1',
    port: sshd.port,
    username: sshd.user,
    sshKeyId: made.body.id,
    environmentId: bastionEnvironment,
    hostKey: bastion.hostKey(),
  });
  bastionId = server.id;
  for (const [index, { id }] of lab.servers.entries()) {
    await change(id, { jumpServerId: bastionId });
    await lab.api.put(`/api/inventory/servers/${id}/host-keys`, { hostKeys: [lab.hosts.hostKey(ADDRESSES[index])] });
  }
  await lab.runward.worker();
});
afterAll(async () => {
  await lab.close();
  await bastion.stop();
  await old.stop();
});

const change = async (id: string, fields: object) => {
  const { status, text } = await lab.api.patch(`/api/inventory/servers/${id}`, fields);
  if (status !== 200) throw new Error(text);
};

describe('a run on hosts behind a jump server', () => {
  it('runs on each of them', async () => {
    const run = await lab.run([`echo $PPID >> ${lab.evidence}/ran; echo from $SSH_CONNECTION`]);
    expect(run.status).toBe('SUCCEEDED');
    expect((await lab.left('ran')).trim().split('\n')).toHaveLength(3);
    for (const { id } of lab.servers) expect(await lab.text(run.id, id)).toMatch(/^from 127\.0\./);
  });

  it('does not overlap with a run on the jump server or on another host behind it', async () => {
    const held = await lab.plan(['sleep 60'], { targets: 'name=web-1' });
    const other = await lab.plan(['true'], { targets: 'name=web-2' });
    const edge = await lab.plan(['true'], { environmentId: bastionEnvironment });
    const { id } = await lab.start(held);
    await eventually('its command runs', async () => (await lab.results(id))[0]?.status === 'RUNNING');
    for (const plan of [other, edge]) expect((await lab.settled((await lab.start(plan)).id)).status).toBe('SUCCEEDED');
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    await lab.settled(id);
  });

  it('needs no approval because the jump server is in a protected environment', async () => {
    await lab.api.patch(`/api/environments/${bastionEnvironment}`, { protected: true });
    expect((await lab.run(['true'])).status).toBe('SUCCEEDED');
    await changePolicy(lab.api, bastionEnvironment, { protected: false });
  });

  it('can be rerun unchanged only while the jump path is the same', async () => {
    const first = await lab.run(['true']);
    const again = () =>
      lab.api.post<{ code: string; detail: string; id: string }>(`/api/executions/${first.id}/rerun`, {
        hosts: 'all',
        snapshot: 'same',
      });
    const same = await again();
    expect(same.status).toBe(201);
    await lab.settled(same.body.id);
    await change(bastionId, { username: 'nobody-else' });
    const refused = await again();
    expect([refused.status, refused.body.code]).toEqual([409, 'hosts_changed']);
    expect(refused.body.detail).toContain('a jump server in another environment was changed');
    expect(refused.body.detail).not.toContain('nobody-else');
    await change(bastionId, { username: bastion.sshd.user });
  });

  it('shows the jump path to the approver', async () => {
    const plan = await lab.plan(['true']);
    await lab.settled((await lab.start(plan)).id);
    await change(lab.servers[2]?.id ?? '', { jumpServerId: null });
    const hostKeys = [lab.hosts.hostKey(ADDRESSES[2])];
    await lab.api.put(`/api/inventory/servers/${lab.servers[2]?.id}/host-keys`, { hostKeys });
    const { id } = await lab.start(plan);
    const { text } = await lab.api.get(`/api/executions/${id}/review`);
    expect(text).toContain(`through a jump server in another environment`);
    expect(text).toContain(bastion.sshd.hostKey.fingerprint);
    expect(text).not.toContain('127.0.6.1');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
  });

  it('reports the hosts as unreachable when the jump server is, with the reason', async () => {
    await lab.api.put(`/api/inventory/servers/${bastionId}/host-keys`, { hostKeys: [] });
    const run = await lab.run(['true'], { targets: 'name in (web-1)' });
    const [result] = await lab.results(run.id);
    expect(result).toMatchObject({ status: 'UNREACHABLE' });
    expect(JSON.stringify(result)).toContain('The jump server in another environment is not reached');
  });
});

describe('a host with legacy algorithms only', () => {
  interface Checked {
    state: string;
    seenHostKey: { fingerprint: string } | null;
    lastCheck: { reason: { text: string } };
  }
  const NAMED_JUMP_SERVERS = expect.stringContaining(
    'Or allow legacy algorithms for it (server setting legacyAlgorithms).',
  );
  const USED_ADDRESSES = `The connection used legacy algorithms: diffie-hellman-group14-sha1, ssh-rsa, aes128-cbc, hmac-md5.`;
  let id: string;
  let keyId: string;
  const check = async (server = id) => (await lab.api.post<Checked>(`/api/inventory/servers/${server}/check`)).body;
  const plans = new Map<string, string>();
  const runOn = async (name: string, mode = 'auto') => {
    const plan = plans.get(name) ?? (await lab.plan(['true'], { targets: `name=${name}` }));
    plans.set(name, plan);
    return lab.settled((await lab.start(plan, { execution_mode: mode })).id);
  };

  beforeAll(async () => {
    const { sshd, key } = old;
    const made = await lab.api.post<{ id: string }>('/api/ssh-keys', { name: 'old', privateKey: key.privateKey });
    keyId = made.body.id;
    const where = { hostname: '127.0.6.2', port: sshd.port, username: sshd.user, sshKeyId: keyId };
    ({ id } = await lab.server({ name: 'old', ...where, hostKey: undefined }));
  });

  it('is refused by name until they are allowed (audited); then its key is read and accepted, and login works', async () => {
    expect(await check()).toMatchObject({
      state: 'unreachable',
      seenHostKey: null,
      lastCheck: { reason: { text: NAMED_JUMP_SERVERS } },
    });
    await change(id, { legacyAlgorithms: true });
    const { body } = await lab.api.get<{ items: object[] }>(`/api/audit-logs?resourceId=${id}`);
    expect(body.items[0]).toMatchObject({
      action: 'server.update',
      before: { legacyAlgorithms: false },
      after: { legacyAlgorithms: true },
    });
    const { state, seenHostKey } = await check();
    expect([state, seenHostKey?.fingerprint]).toEqual(['host_key_unknown', old.sshd.hostKey.fingerprint]);
    await lab.api.put(`/api/inventory/servers/${id}/host-key`, { fingerprint: seenHostKey?.fingerprint });
    expect(await check()).toMatchObject({
      state: 'reachable',
      lastCheck: { reason: { text: expect.stringContaining(USED_ADDRESSES) } },
    });
    const { text } = await lab.api.post(`/api/inventory/servers/${id}/diagnose`);
    expect(text).not.toContain('"failed"');
  });

  it('accepts runs and dry runs, and counts as another host for a rerun of an earlier run', async () => {
    expect((await runOn('old', 'dry_run')).status).toBe('SUCCEEDED');
    const run = await runOn('old');
    expect(run.status).toBe('SUCCEEDED');
    await change(id, { legacyAlgorithms: false });
    const again = await lab.api.post<{ code: string; detail: string }>(`/api/executions/${run.id}/rerun`, {
      hosts: 'all',
      snapshot: 'same',
    });
    expect(again.body).toMatchObject({
      code: 'hosts_changed',
      detail: expect.stringContaining('legacy algorithms no longer allowed'),
    });
    const refused = await runOn('old');
    expect((await lab.results(refused.id))[0]).toMatchObject({ status: 'UNREACHABLE' });
    expect((await lab.api.get(`/api/executions/${refused.id}/review`)).text).toContain('legacy algorithms allowed');
    await change(id, { legacyAlgorithms: true });
  });

  it('completes a key rotation like other hosts', async () => {
    const rotation = await lab.api.post<{ id: string }>(`/api/ssh-keys/${keyId}/rotate`, {
      generate: { type: 'ed25519' },
    });
    const path = `/api/key-rotations/${rotation.body.id}`;
    const host = await eventually('the host was visited', async () => {
      const { body } = await lab.api.get<{ items: { status: string }[] }>(`${path}/hosts`);
      return body.items.find(({ status }) => status !== 'pending');
    });
    expect(JSON.stringify(host)).not.toContain('no_common_algorithm');
    expect(JSON.stringify(host)).not.toContain('in common');
  });

  it('is not usable as a jump server for a host without that permission', async () => {
    const [first] = lab.servers;
    await change(first?.id ?? '', { jumpServerId: id });
    await lab.api.put(`/api/inventory/servers/${first?.id}/host-keys`, { hostKeys: [lab.hosts.hostKey(ADDRESSES[0])] });
    const run = await runOn('web-1');
    expect(run.status).toBe('SUCCEEDED');
    const { lastCheck } = await check(first?.id);
    expect(lastCheck.reason.text).not.toContain('legacy');
    await change(id, { legacyAlgorithms: false });
    expect((await check(first?.id)).lastCheck.reason.text).toMatch(
      /^The jump server "old" is not reached: .*allow legacy/,
    );
    const refused = await runOn('web-1');
    expect(JSON.stringify(await lab.results(refused.id))).toContain('no key exchange in common');
    expect((await lab.api.get(`/api/executions/${refused.id}/review`)).text).toContain(', legacy algorithms allowed');
    await change(id, { legacyAlgorithms: true });
  });

  it('is not reported as needed by a server with modern algorithms', async () => {
    const { id: modern } = await lab.server({ name: 'modern', hostname: lab.spare[0], legacyAlgorithms: true });
    expect((await check(modern)).lastCheck.reason.text).toContain('The connection used no legacy algorithm');
    expect((await runOn('modern')).status).toBe('SUCCEEDED');
  });
});
