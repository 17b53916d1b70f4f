import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, makeScene } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import work from '../import/formats/inventory-thread.js';

let runward: Installation;
let admin: TestMember;
let scene: EnvironmentScene;
let publicKey: string;
beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  scene = await makeScene(admin.api, { name: 'live', hostname: 'first.internal', port: 22 });
  ({ publicKey } = await generateKeyPair({ type: 'ed25519' }));
  await register({
    name: 'web-1',
    hostname: '10.0.0.1',
    tags: { role: 'web', 'group.front': 'true' },
    hostKey: { publicKey },
  });
  await register({
    name: 'web-2',
    hostname: 'fe80::1%eth0',
    port: 2200,
    tags: { role: 'web' },
    externalSource: 'cmdb',
    externalId: 'w-2',
  });
  await register({ name: 'two words', hostname: '10.0.0.3' });
  await register({ name: 'x\nHost *\n  ProxyCommand touch /tmp/owned', hostname: '10.0.0.5' });
  await register({ name: "{{ lookup('pipe', 'id') }}", hostname: '10.0.0.6' });
  await register({ name: 'off', hostname: '10.0.0.4', enabled: false });
});
afterAll(() => runward.close());

async function register(more: object): Promise<void> {
  const server = { username: 'deploy', sshKeyId: scene.keyId, environmentId: scene.environmentId, ...more };
  const { status, text } = await admin.api.post('/api/inventory/servers', server);
  if (status !== 201) throw new Error(text);
}
const get = (query: string, api = admin.api) => api.get(`/api/inventory/servers/export?${query}`);

describe('the export of servers', () => {
  it('can be imported again: what comes out goes in', async () => {
    const answer = await get('selector=name!=first*');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = work({ format: 'json', content: answer.text });
    expect(text.faults).toEqual([]);
    expect(text.hosts.find(({ name }) => name === 'web-1')).toMatchObject({
      hostname: '10.0.0.1',
      port: 22,
      username: 'deploy',
      enabled: true,
      tags: { role: 'web', 'group.front': 'true' },
    });
    expect(text.hosts.find(({ name }) => name === 'web-2')).toMatchObject({
      externalId: 'w-2',
      hostname: 'fe80::1%eth0',
    });
    expect(text.hosts.find(({ name }) => name === 'off')).toMatchObject({ enabled: false });
  });

  it('is a dynamic inventory for Ansible, with tags as groups and without what is switched off', async () => {
    const { text } = await get('format=ansible-json');
    const inventory = JSON.parse(text) as Record<string, { hosts?: string[]; children?: string[] }> & {
      _meta: { hostvars: Record<string, object> };
    };
    expect(inventory['front']).toEqual({ hosts: ['web-1'] });
    expect(inventory['role_web']).toEqual({ hosts: ['web-1', 'web-2'] });
    expect(inventory['ungrouped']?.hosts).toContain('two words');
    expect(inventory['all']).toMatchObject({ vars: { runward_left_out: 1 } });
    expect(text).not.toContain('lookup');
    expect(inventory['all']?.children).toEqual(['ungrouped', 'front', 'role_web']);
    expect(inventory._meta.hostvars['web-2']).toMatchObject({
      ansible_host: 'fe80::1%eth0',
      ansible_port: 2200,
      ansible_user: 'deploy',
      runward_tags: { role: 'web' },
    });
    expect(inventory._meta.hostvars).not.toHaveProperty('off');
    const read = work({ format: 'ansible-json', content: text });
    expect(read.hosts.map(({ name }) => name)).toEqual(expect.arrayContaining(['web-1', 'web-2']));
  });

  it('is an ssh_config, in which no name becomes a pattern or an option', async () => {
    const answer = await get('format=ssh-config');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.text).toContain('Host web-2\n  HostName fe80::1%%eth0\n  Port 2200\n  User deploy\n');
    expect(answer.text).not.toMatch(/^Host two/m);
    expect(answer.text).toContain('# two words: ');
    expect(answer.text).not.toMatch(/^(Host \*|\s*ProxyCommand)/m);
    expect(answer.text).toContain('# x Host *   ProxyCommand touch /tmp/owned: ');
    expect(answer.text).not.toContain('10.0.0.4');
    const read = work({ format: 'ssh-config', content: answer.text });
    expect(read.faults).toEqual([]);
    expect(read.hosts.find(({ name }) => name === 'web-2')).toMatchObject({ port: 2200, username: 'deploy' });
  });

  it('holds what the filter leaves and the caller sees, page after page', async () => {
    expect(JSON.parse((await get('selector=role=web')).text)).toHaveLength(2);
    const stranger = await runward.tenant();
    expect(JSON.parse((await get('', stranger.api)).text)).toEqual([]);
    await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
    await runward.database.query(
      `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
        select gen_random_uuid(), tenant_id, environment_id, 'many-' || n, 'many-' || n, 22, 'x', ssh_key_id, '{"many": "yes"}'
        from servers, generate_series(1, 1201) n where name = 'web-1'`,
    );
    const many = JSON.parse((await get('selector=many')).text) as { name: string }[];
    expect(new Set(many.map(({ name }) => name)).size).toBe(1201);
  });
});
