import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, made, makeScene } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import { SET_COLUMNS, type ServerField } from '../fields/server-fields.js';
import { getSettingSpec, mapSettings, type ServerSetting } from '../fields/server-settings.js';
import readInventoryText from '../import/formats/inventory-thread.js';

let runward: Installation;
let admin: TestMember;
let scene: EnvironmentScene;
let publicKey: string;
let hostKeys: { publicKey: string; certAuthority?: boolean }[];
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
  const { publicKey: authority } = await generateKeyPair({ type: 'ed25519' });
  const { publicKey: ecdsa } = await generateKeyPair({ type: 'ecdsa' });
  hostKeys = [{ publicKey }, { publicKey: ecdsa }, { publicKey: authority, certAuthority: true }];
  const outer = await register({ name: 'outer', hostname: '10.0.1.1', port: 2222, hostKeys });
  const inner = await register({ name: 'inner', hostname: 'fd00::1', jumpServerId: outer });
  await register({ name: 'behind', hostname: '10.0.1.3', jumpServerId: inner, tags: { place: 'far' } });
  const odd = await register({ name: 'odd', hostname: '10.0.0.5' });
  // Stores a name that current validation rejects.
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
  const name = 'x\nHost *\n  ProxyCommand touch /tmp/owned';
  await runward.database.query('update servers set name = $2 where id = $1', [odd, name]);
  await register({ name: "{{ lookup('pipe', 'id') }}", hostname: '10.0.0.6' });
  await register({ name: 'old', hostname: '10.0.0.7', tags: { age: 'old' }, legacyAlgorithms: true });
  await register({ name: 'slow', hostname: '10.0.0.8', tags: { age: 'old' }, loginTimeoutSeconds: 90 });
  await register({ name: 'off', hostname: '10.0.0.4', enabled: false });
});
afterAll(() => runward.close());

async function register(more: object): Promise<string> {
  const server = { username: 'deploy', sshKeyId: scene.keyId, environmentId: scene.environmentId, ...more };
  const { status, text, body } = await admin.api.post<{ id: string }>('/api/inventory/servers', server);
  if (status !== 201) throw new Error(text);
  return body.id;
}
const get = (query: string, api = admin.api) => api.get(`/api/inventory/servers/export?${query}`);

describe('the export of servers', () => {
  it('can be imported again', async () => {
    const answer = await get('selector=name!=first*');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = readInventoryText({ format: 'json', content: answer.text });
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

  it('writes a dynamic Ansible inventory with tags as groups and without disabled servers', async () => {
    const { text } = await get('format=ansible-json');
    const inventory = JSON.parse(text) as Record<string, { hosts?: string[]; children?: string[] }> & {
      _meta: { hostvars: Record<string, object> };
    };
    expect(inventory['front']).toEqual({ hosts: ['web-1'] });
    expect(inventory['role_web']).toEqual({ hosts: ['web-1', 'web-2'] });
    expect(inventory['ungrouped']?.hosts).toContain('two words');
    expect(inventory['all']).toMatchObject({ vars: { runward_left_out: 1 } });
    expect(text).not.toContain('lookup');
    expect(inventory['all']?.children).toEqual(['ungrouped', 'age_old', 'front', 'place_far', 'role_web']);
    expect(inventory._meta.hostvars['web-2']).toMatchObject({
      ansible_host: 'fe80::1%eth0',
      ansible_port: 2200,
      ansible_user: 'deploy',
      runward_tags: { role: 'web' },
    });
    expect(inventory._meta.hostvars).not.toHaveProperty('off');
    const read = readInventoryText({ format: 'ansible-json', content: text });
    expect(read.hosts.map(({ name }) => name)).toEqual(expect.arrayContaining(['web-1', 'web-2']));
  });

  it('writes an ssh_config in which no name becomes a pattern or an option', async () => {
    const answer = await get('format=ssh-config');
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.text).toContain('Host web-2\n  HostName fe80::1%%eth0\n  Port 2200\n  User deploy\n');
    expect(answer.text).not.toMatch(/^Host two/m);
    expect(answer.text).toContain('# two words: ');
    expect(answer.text).not.toMatch(/^(Host \*|\s*ProxyCommand)/m);
    expect(answer.text).toContain('# x Host *   ProxyCommand touch /tmp/owned: ');
    expect(answer.text).not.toContain('10.0.0.4');
    const read = readInventoryText({ format: 'ssh-config', content: answer.text });
    expect(read.faults).toEqual([]);
    expect(read.hosts.find(({ name }) => name === 'web-2')).toMatchObject({ port: 2200, username: 'deploy' });
  });

  it.each(['json', 'ansible-json', 'ssh-config'] as const)(
    'allows the same legacy algorithms as %s',
    async (format) => {
      const read = readInventoryText({ format, content: (await get(`format=${format}`)).text });
      const allowed = read.hosts.filter(({ legacyAlgorithms }) => legacyAlgorithms).map(({ name }) => name);
      expect(allowed).toEqual(['old']);
      expect(read.notCarried.filter(({ what }) => /Algorithms|Ciphers|MACs/.test(what))).toEqual([]);
    },
  );

  it.each(['json', 'ansible-json', 'ssh-config'] as const)('keeps login timeouts as %s', async (format) => {
    const read = readInventoryText({ format, content: (await get(`format=${format}`)).text });
    const slow = read.hosts.filter(({ loginTimeoutSeconds }) => loginTimeoutSeconds);
    expect(slow.map(({ name, loginTimeoutSeconds }) => [name, loginTimeoutSeconds])).toEqual([['slow', 90]]);
  });

  it('contains all pinned keys and jump paths, also through servers that are not exported', async () => {
    const way = `deploy@10.0.1.1:2222,deploy@[fd00::1]:22`;
    const far = (format: string) => get(`format=${format}&selector=place=far`);
    expect(JSON.parse((await far('json')).text)).toMatchObject([{ name: 'behind', jumpServer: 'inner' }]);
    expect((await far('ssh-config')).text).toContain(
      `Host behind\n  HostName 10.0.1.3\n  Port 22\n  User deploy\n  ProxyJump ${way}\n`,
    );
    expect((await far('ansible-json')).text).toContain(`"ansible_ssh_common_args":"-o ProxyJump=${way}"`);
    const { body } = await get('format=ansible-json&selector=name=outer');
    const { _meta } = body as { _meta: { hostvars: Record<string, { runward_host_keys: string[] }> } };
    expect(_meta.hostvars['outer']?.runward_host_keys).toHaveLength(3);
    const { text, headers } = await get('format=known_hosts&selector=name in (outer, web-1, off, inner)');
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const short = (line: string) => line.split(' ').slice(0, 2).join(' ');
    expect(text.trim().split('\n').map(short)).toEqual([
      '[10.0.1.1]:2222 ssh-ed25519',
      '[10.0.1.1]:2222 ecdsa-sha2-nistp256',
      '@cert-authority [10.0.1.1]:2222',
      '10.0.0.1 ssh-ed25519',
    ]);
  });

  it.each(['json', 'ssh-config', 'ansible-json'])(
    'keeps jump paths as %s, and all keys as json, when it is imported again',
    async (format) => {
      const worker = await runward.worker();
      const { text } = await get(`format=${format}&selector=name in (outer, inner, behind)`);
      const environment = await admin.api.post<{ id: string }>('/api/environments', { name: `copy by ${format}` });
      const renamed = text.replaceAll(/\b(outer|inner|behind)\b/g, `${format}-$1`);
      const imported = await admin.api.post<{ status: string; faults: unknown[]; notCarried: { what: string }[] }>(
        '/api/inventory/servers/import?wait=50',
        { format, content: renamed, environmentId: environment.body.id, sshKeyId: scene.keyId },
      );
      await worker.stop();
      expect(imported.body).toMatchObject({ status: 'succeeded', faults: [] });
      expect(imported.body.notCarried.filter(({ what }) => what === 'jump server')).toEqual([]);
      const again = await get(`format=json&environmentId=${environment.body.id}`);
      type Entry = { name: string; jumpServer: string | null; hostKeys?: { publicKey: string }[] };
      const list = (JSON.parse(again.text) as Entry[]).map((each) => [each.name, each.jumpServer]);
      expect(list).toEqual([
        [`${format}-behind`, `${format}-inner`],
        [`${format}-inner`, `${format}-outer`],
        [`${format}-outer`, null],
      ]);
      if (format === 'json') {
        const keys = (JSON.parse(again.text) as Entry[])[2]?.hostKeys ?? [];
        const short = ({ publicKey: line }: { publicKey: string }) => line.split(' ').slice(0, 2).join(' ');
        expect(keys.map(short)).toEqual(hostKeys.map(short));
      }
    },
  );

  it('keeps every field that requests set, when it is imported into an empty tenant', async () => {
    const [source, target] = [await runward.tenant(), await runward.tenant()];
    const toUnusualValue = (setting: ServerSetting) => {
      const spec = getSettingSpec(setting);
      return spec.type === 'boolean' ? !spec.default : spec.max;
    };
    const environmentId = await made(source.api.post('/api/environments', { name: 'live' }));
    const sshKeyId = await made(source.api.post('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } }));
    const required = { hostname: '10.0.0.1', username: 'deploy', sshKeyId, environmentId };
    const jumpServerId = await made(source.api.post('/api/inventory/servers', { ...required, name: 'jump' }));
    const fields = {
      ...{ name: 'full', hostname: '10.0.0.2', port: 2200, username: 'root', sshKeyId, environmentId, jumpServerId },
      ...{ tags: { role: 'web' }, enabled: false, externalSource: 'cmdb', externalId: 'f-1' },
      ...mapSettings(toUnusualValue),
    } satisfies Record<ServerField, unknown>;
    await made(source.api.post('/api/inventory/servers', { ...fields, hostKeys }));

    const newEnvironmentId = await made(target.api.post('/api/environments', { name: 'copy' }));
    const newKeyId = await made(target.api.post('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } }));
    const content = (await get('', source.api)).text;
    const worker = await runward.worker();
    const { body } = await target.api.post('/api/inventory/servers/import?wait=50', {
      ...{ format: 'json', content, source: 'cmdb', environmentId: newEnvironmentId, sshKeyId: newKeyId },
    });
    await worker.stop();
    expect(body).toMatchObject({ status: 'succeeded', faults: [], notCarried: [] });

    const readColumns = async ({ tenantId }: TestMember) => {
      await runward.database.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
      const columns = Object.entries(SET_COLUMNS).map(([name, { column }]) => `s.${column} as "${name}"`);
      const rows = await runward.database.query<Record<keyof typeof SET_COLUMNS, unknown>>(
        `select ${columns.join(', ')}, j.name as jump from servers s left join servers j on j.id = s.jump_server_id
          where s.tenant_id = $1 and s.name in ('full', 'jump') order by s.name`,
        [tenantId],
      );
      return rows.map(({ jumpServerId: _, ...row }) => row);
    };
    const [full, jump] = await readColumns(source);
    const [copy] = await readColumns(target);
    expect(copy).toEqual({ ...full, environmentId: newEnvironmentId, sshKeyId: newKeyId });
    // A field with the same value in both servers may be a default that the export lost.
    const same = Object.entries(full ?? {}).flatMap(([name, value]) =>
      JSON.stringify(value) === JSON.stringify(jump?.[name as keyof typeof jump]) ? [name] : [],
    );
    expect(same).toEqual(['sshKeyId', 'environmentId']);
  });

  it('never reveals a jump server that is hidden from the caller', async () => {
    const hidden = await admin.api.post<{ id: string }>('/api/environments', { name: 'hidden', access: 'restricted' });
    const secret = await register({ name: 'secret-hop', hostname: '10.66.66.66', environmentId: hidden.body.id });
    await register({ name: 'veiled', hostname: '10.0.2.1', jumpServerId: secret });
    const viewer = await runward.member(admin, 'viewer');
    for (const format of ['json', 'ansible-json', 'ssh-config', 'known_hosts']) {
      const { text } = await get(`format=${format}&selector=name=veiled`, viewer.api);
      expect(text).not.toMatch(/secret-hop|10\.66/);
      if (format === 'ssh-config') expect(text).toContain('# reached through a jump server that you may not see');
    }
  });

  it('contains the filtered servers that the caller can see, across pages', async () => {
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
