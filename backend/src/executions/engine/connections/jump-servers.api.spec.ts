import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import { type SshHosts, startSshHosts } from '../../../../test/support/ssh-hosts.js';
import { eventually } from '../../../../test/support/eventually.js';

let lab: RunLab;
let bastion: SshHosts;
let bastionId: string;
let bastionEnvironment: string;

const ADDRESSES = ['127.0.1.1', '127.0.1.2', '127.0.1.3'];

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
  bastion = await startSshHosts({
    addresses: ['127.0.6.1'],
    extraConfig: `PermitOpen ${ADDRESSES.map((address) => `${address}:*`).join(' ')}`,
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

  it('is none that overlaps with a run on the jump server, or on another host behind it', async () => {
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
    await lab.api.patch(`/api/environments/${bastionEnvironment}`, { protected: false });
  });

  it('is repeated as it was only while the way is the same', async () => {
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

  it('shows the way to whoever approves it', async () => {
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

  it('counts them as not reached where the jump server is not, and says so', async () => {
    await lab.api.put(`/api/inventory/servers/${bastionId}/host-keys`, { hostKeys: [] });
    const run = await lab.run(['true'], { targets: 'name in (web-1)' });
    const [result] = await lab.results(run.id);
    expect(result).toMatchObject({ status: 'UNREACHABLE' });
    expect(JSON.stringify(result)).toContain('The jump server in another environment is not reached');
  });
});
