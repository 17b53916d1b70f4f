import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, makeScene } from '../../../test/support/environment-scene.js';
import {
  type Installation,
  startInstallation,
  type TestMember,
  type TestWorker,
} from '../../../test/support/installation.js';
import type { ServerView } from '../servers.view.js';
import type { ImportEntryView, ImportView } from './orders/import.view.js';

interface Fault {
  code: string;
  detail: string;
  errors?: { path: string; code: string; message: string }[];
}
interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

const IMPORT = '/api/inventory/servers/import';

let runward: Installation;
let worker: TestWorker;
let admin: TestMember;
let operator: TestMember;
let scene: EnvironmentScene;
beforeAll(async () => {
  runward = await startInstallation();
  worker = await runward.worker();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  scene = await makeScene(admin.api, { name: 'live', hostname: 'db.internal', port: 22 });
});
afterAll(async () => {
  await worker.stop();
  await runward.close();
});

const order = (content: string | object, more: object = {}) => ({
  format: typeof content === 'string' ? 'ansible-ini' : 'json',
  content: typeof content === 'string' ? content : JSON.stringify(content),
  environmentId: scene.environmentId,
  sshKeyId: scene.keyId,
  username: 'deploy',
  ...more,
});
const ask = (body: object, query = '', api = operator.api) =>
  api.post<ImportView & Fault>(`${IMPORT}?wait=50${query}`, body);
const preview = (content: string | object, more: object = {}, api = operator.api) =>
  ask(order(content, more), '&preview=true', api);
const run = (content: string | object, more: object = {}, api = operator.api) => ask(order(content, more), '', api);
const entriesOf = async ({ body: { id } }: { body: { id: string } }, query = 'limit=200') =>
  (await operator.api.get<Page<ImportEntryView>>(`/api/inventory/imports/${id}/entries?${query}`)).body.items;
const server = async (name: string) =>
  (await admin.api.get<Page<ServerView>>(`/api/inventory/servers?name=${name}`)).body.items[0];
const audited = async (id: string) =>
  (await admin.api.get<Page<{ action: string }>>(`/api/audit-logs?resourceId=${id}`)).body.items.map(
    ({ action }) => action,
  );
const rowCount = async (table: string) => {
  const [row] = await runward.database.query<{ count: number }>(`select count(*)::int as count from ${table}`);
  return row?.count;
};

describe('an import of servers', () => {
  it('previews without changes, then applies exactly that and reports each server', async () => {
    const text =
      '[web]\nweb[01:03] ansible_host=10.2.0.1 ansible_port=2201\nlone ansible_host=10.2.0.9 ansible_user=root\n'.replace(
        'web[01:03] ansible_host=10.2.0.1 ansible_port=2201',
        'web[01:03]',
      );
    const before = await rowCount('servers');
    const shown = await preview(text, { source: 'ansible' });
    expect([shown.status, shown.body.status, shown.body.total]).toEqual([201, 'succeeded', 4]);
    expect(shown.body.counts).toMatchObject({ create: 4, change: 0, refuse: 0 });
    expect(await rowCount('servers')).toBe(before);
    const entries = await entriesOf(shown);
    expect(entries.map(({ name, action, line }) => [name, action, line])).toEqual([
      ['web01', 'create', 2],
      ['web02', 'create', 2],
      ['web03', 'create', 2],
      ['lone', 'create', 3],
    ]);
    expect(entries[3]?.changes).toContainEqual({ field: 'username', before: null, after: 'root' });
    const applied = await operator.api.post<ImportView>(`/api/inventory/imports/${shown.body.id}/apply?wait=50`, {});
    expect([applied.status, applied.body.status]).toEqual([201, 'succeeded']);
    expect(applied.headers.get('location')).toBe(`/api/inventory/imports/${applied.body.id}`);
    const web = await server('web02');
    expect(web).toMatchObject({
      hostname: 'web02',
      port: 22,
      username: 'deploy',
      externalSource: 'ansible',
      externalId: 'web02',
      environmentId: scene.environmentId,
      tags: { 'group.web': 'true' },
    });
    expect(await audited(web?.id ?? '')).toEqual(['server.create']);
    expect(await audited(applied.body.id)).toEqual(['inventory_import.finish', 'inventory_import.request']);
  });

  it('writes no server and no entry about one when nothing differs', async () => {
    const list = [{ name: 'same-1', hostname: '10.3.0.1', tags: { a: '1', b: '2' } }];
    await run(list);
    const [version, entries] = [(await server('same-1'))?.version, await rowCount('audit_entries')];
    const again = await run(list);
    expect(again.body.counts).toMatchObject({ leave: 1, change: 0, create: 0 });
    expect((await server('same-1'))?.version).toBe(version);
    expect(await rowCount('audit_entries')).toBe((entries ?? 0) + 1);
  });

  it('changes differing fields one by one, and removes the pin of a host with a new address', async () => {
    const first = [{ name: 'moved', externalId: 'm-1', hostname: '10.4.0.1', tags: { role: 'web' } }];
    await run(first, { source: 'cmdb' });
    const again = await run([{ name: 'moved-new', externalId: 'm-1', hostname: '10.4.0.2' }], { source: 'cmdb' });
    const [entry] = await entriesOf(again);
    expect(entry).toMatchObject({
      action: 'change',
      name: 'moved-new',
      changes: [
        { field: 'name', before: 'moved', after: 'moved-new' },
        { field: 'hostname', before: '10.4.0.1', after: '10.4.0.2' },
      ],
    });
    expect(await server('moved-new')).toMatchObject({ hostname: '10.4.0.2', tags: { role: 'web' }, version: 2 });
  });

  it('allows legacy algorithms where an ssh_config requests them, keeps them, and forbids them where a list says so', async () => {
    const config = 'Host old-1\n  HostKeyAlgorithms +ssh-rsa\n  KexAlgorithms +diffie-hellman-group14-sha1\n';
    const shown = await preview(config, { format: 'ssh-config' });
    expect(shown.body.notCarried).toEqual([]);
    expect((await entriesOf(shown))[0]?.changes).toContainEqual({
      field: 'legacyAlgorithms',
      before: null,
      after: 'yes',
    });
    await run(config, { format: 'ssh-config' });
    expect(await server('old-1')).toMatchObject({ legacyAlgorithms: true });
    await run('Host old-1\n  Port 2222\n', { format: 'ssh-config' });
    expect(await server('old-1')).toMatchObject({ port: 2222, legacyAlgorithms: true });
    const forbidden = await run([{ name: 'old-1', legacyAlgorithms: false }]);
    expect((await entriesOf(forbidden))[0]?.changes).toEqual([
      { field: 'legacyAlgorithms', before: 'yes', after: null },
    ]);
    expect(await server('old-1')).toMatchObject({ legacyAlgorithms: false });
  });

  it('sets a login timeout, keeps it where the text has none, and resets it where a list says null', async () => {
    await run('Host slow-1\n  ConnectTimeout 45\n', { format: 'ssh-config' });
    expect(await server('slow-1')).toMatchObject({ loginTimeoutSeconds: 45 });
    await run('Host slow-1\n  Port 2222\n', { format: 'ssh-config' });
    expect(await server('slow-1')).toMatchObject({ port: 2222, loginTimeoutSeconds: 45 });
    const reset = await run([{ name: 'slow-1', loginTimeoutSeconds: null }]);
    expect((await entriesOf(reset))[0]?.changes).toEqual([
      { field: 'loginTimeoutSeconds', before: '45 s', after: null },
    ]);
    expect(await server('slow-1')).toMatchObject({ loginTimeoutSeconds: null });
  });

  it('can swap names and addresses of servers', async () => {
    const pair = (one: string, other: string) => [
      { name: `swap-${one}`, externalId: 's-1', hostname: `10.5.0.${one}` },
      { name: `swap-${other}`, externalId: 's-2', hostname: `10.5.0.${other}` },
    ];
    await run(pair('1', '2'), { source: 'swaps' });
    const swapped = await run(pair('2', '1'), { source: 'swaps' });
    expect(swapped.body).toMatchObject({ status: 'succeeded', counts: { change: 2 } });
    expect(await server('swap-2')).toMatchObject({ externalId: 's-1', hostname: '10.5.0.2' });
  });

  it('names line and entry of every error at once, and stores nothing', async () => {
    const imports = await rowCount('inventory_imports');
    const answer = await run('[web]\nok-1\nbad-1 ansible_host=10.0.0.300\nbad-2 ansible_host=10.1.1.999\n');
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    const place = { path: '/content', code: 'invalid_inventory' };
    expect(answer.body.errors).toMatchObject([
      { ...place, line: 3, entry: 'bad-1', message: expect.stringMatching(/^Line 3, "bad-1": /) },
      { ...place, line: 4, entry: 'bad-2' },
    ]);
    const disguisedPreview = await ask(order('Host a\u202eb\n  HostName 10.2.0.7\n', { format: 'ssh-config' }));
    const listed = await run([{ name: 'a\u202eb', hostname: '10.2.0.7' }]);
    for (const { body } of [disguisedPreview, listed])
      expect(body.errors?.[0]?.message).toContain('U+202E (right-to-left override), which is character 2');
    expect(await rowCount('inventory_imports')).toBe(imports);
  });

  it('lists the parts of the text that it does not import, and repeats no password', async () => {
    const answer = await preview(
      ['v-1 ansible_password=tell-nobody rack=r7', 'v-2 rack=r8', "v-3 ansible_ssh_common_args='-C'"].join('\n'),
    );
    const notCarriedItems = answer.body.notCarried.map(({ what, line, entry, places }) => [what, line, entry, places]);
    expect(notCarriedItems).toEqual(
      expect.arrayContaining([
        ['ansible_ssh_common_args: -C', 3, 'v-3', 1],
        ['ansible_password', 1, 'v-1', 1],
      ]),
    );
    expect(answer.text).not.toContain('tell-nobody');
  });

  it('is refused as a whole when one entry cannot be stored, and says which', async () => {
    const taken = await server('db.internal').then(() => 'taken-1');
    await run([{ name: taken, hostname: '10.6.0.1' }]);
    const answer = await run([
      { name: 'fine', hostname: '10.6.0.2' },
      { name: 'double', hostname: '10.6.0.1' },
    ]);
    expect(answer.body).toMatchObject({
      status: 'failed',
      counts: { create: 1, refuse: 1 },
      faults: [{ entry: 'double', reason: { code: 'duplicate_address' } }],
    });
    expect(answer.body.faults[0]?.reason.text).toContain(taken);
    expect(await server('fine')).toBeUndefined();
  });

  it('detects two entries that are one machine, also with different spellings', async () => {
    const answer = await run([
      { name: 'one', hostname: 'Twin.internal' },
      { name: 'two', hostname: 'twin.internal.' },
    ]);
    expect(answer.body).toMatchObject({
      status: 'failed',
      faults: [{ entry: 'two', reason: { code: 'duplicate_address' } }],
    });
  });

  it('does not apply a preview once the inventory has changed', async () => {
    const list = [{ name: 'raced', hostname: '10.7.0.1' }];
    const shown = await preview(list);
    await run([{ name: 'raced', hostname: '10.7.0.2' }]);
    const applied = await operator.api.post<ImportView>(`/api/inventory/imports/${shown.body.id}/apply?wait=50`, {});
    expect(applied.body).toMatchObject({ status: 'failed', faults: [{ reason: { code: 'inventory_changed' } }] });
    expect(await server('raced')).toMatchObject({ hostname: '10.7.0.2' });
    const again = await operator.api.post<Fault>(`/api/inventory/imports/${applied.body.id}/apply`, {});
    expect([again.status, again.body.code]).toEqual([409, 'not_a_preview']);
  });
});

describe('servers that the source of an import no longer contains', () => {
  const fleet = (names: string[]) =>
    names.map((name, n) => ({ name, externalId: name, hostname: `10.8.${n}.${name.length}` }));
  const names = Array.from({ length: 10 }, (_, n) => `pruned-${n}`);

  it('are left alone unless requested, and stop the import when they exceed the permitted share', async () => {
    await run(fleet(names), { source: 'prunes' });
    const left = await run(fleet(names).slice(0, 9), { source: 'prunes' });
    expect(left.body.counts).toMatchObject({ leave: 9, disable: 0, remove: 0 });
    const many = await run(fleet(names).slice(0, 2), { source: 'prunes', prune: 'remove' });
    expect(many.body).toMatchObject({ status: 'failed', faults: [{ reason: { code: 'prune_limit' } }] });
    expect(many.body.faults[0]?.reason.text).toContain('remove 8 of 10');
    expect(await server('pruned-9')).toMatchObject({ enabled: true });
  });

  it('are disabled, and enabled when the source names them again; servers that a person disabled stay disabled', async () => {
    const off = await server('pruned-1');
    await operator.api.patch(`/api/inventory/servers/${off?.id}`, { enabled: false });
    const pruned = await run(fleet(names).slice(0, 9), { source: 'prunes', prune: 'disable' });
    expect(pruned.body.counts).toMatchObject({ leave: 9, disable: 1 });
    expect(await server('pruned-9')).toMatchObject({ enabled: false });
    const back = await run(fleet(names), { source: 'prunes', prune: 'disable' });
    expect(back.body.counts).toMatchObject({ leave: 9, change: 1, disable: 0 });
    expect(await server('pruned-9')).toMatchObject({ enabled: true });
    expect(await server('pruned-1')).toMatchObject({ enabled: false });
  });

  it('are removed, with an audit entry, but not while a run targets them', async () => {
    const [kept, gone] = [await server('pruned-8'), await server('pruned-9')];
    const { body: plan } = await operator.api.post<{ id: string }>('/api/plans', {
      name: 'hold',
      environmentId: scene.environmentId,
      targets: 'name=pruned-8',
      steps: [{ key: 'wait', type: 'gate', message: 'wait' }],
    });
    const started = await operator.api.post<{ id: string; status: string }>('/api/executions', {
      planId: plan.id,
      execution_mode: 'auto',
    });
    const answer = await run(fleet(names).slice(0, 8), { source: 'prunes', prune: 'remove' });
    expect(answer.body).toMatchObject({ status: 'succeeded', counts: { leave: 8, remove: 1, keep: 1 } });
    expect(await server('pruned-9')).toBeUndefined();
    expect(await server('pruned-8')).toMatchObject({ id: kept?.id });
    expect(await audited(gone?.id ?? '')).toEqual(expect.arrayContaining(['server.delete']));
    await operator.api.post(`/api/executions/${started.body.id}/cancel`, {});
  });
});

describe('permissions of an import', () => {
  it('are those of that moment, and limit what it changes', async () => {
    const viewer = await runward.member(admin, 'viewer');
    expect((await run([{ name: 'x', hostname: '10.9.0.1' }], {}, viewer.api)).status).toBe(403);
    const hidden = await makeScene(admin.api, { name: 'walled', hostname: 'walled.internal', port: 22 });
    await run([{ name: 'hidden-1', hostname: '10.9.0.2', externalId: 'h' }], {
      source: 'walls',
      environmentId: hidden.environmentId,
      sshKeyId: hidden.keyId,
    });
    await admin.api.patch(`/api/environments/${hidden.environmentId}`, { access: 'restricted' });
    const there = await run([{ name: 'y', hostname: '10.9.0.3' }], { environmentId: hidden.environmentId });
    expect([there.status, there.body.code]).toEqual([404, 'not_found']);
    // Servers of this source in other environments are not taken over.
    const moved = await run([{ name: 'z', hostname: '10.9.0.4', externalId: 'h' }], { source: 'walls' });
    expect(moved.body).toMatchObject({ status: 'failed', faults: [{ reason: { code: 'duplicate_external_id' } }] });
    const list = await operator.api.get<Page<ImportView>>('/api/inventory/imports?limit=200');
    expect(list.body.items.every(({ environmentId }) => environmentId === scene.environmentId)).toBe(true);
    const own = (await admin.api.get<Page<ImportView>>(`/api/inventory/imports?environmentId=${hidden.environmentId}`))
      .body;
    expect(own.items).toHaveLength(1);
    expect((await operator.api.get(`/api/inventory/imports/${own.items[0]?.id}`)).status).toBe(404);
  });

  it('include the grant "approve" to change an address in a protected environment, or to allow legacy algorithms there', async () => {
    const guarded = await makeScene(admin.api, { name: 'guarded', hostname: 'guarded.internal', port: 22 });
    const more = { source: 'guards', environmentId: guarded.environmentId, sshKeyId: guarded.keyId };
    await run([{ name: 'guarded-1', hostname: '10.10.0.1', externalId: 'g' }], more);
    await admin.api.patch(`/api/environments/${guarded.environmentId}`, { protected: true });
    const weaker = [{ name: 'guarded-1', externalId: 'g', legacyAlgorithms: true }];
    expect((await run(weaker, more)).body).toMatchObject({
      status: 'failed',
      faults: [{ reason: { code: 'grant_required' } }],
    });
    const list = [{ name: 'guarded-1', hostname: '10.10.0.2', externalId: 'g' }];
    expect((await run(list, more)).body).toMatchObject({
      status: 'failed',
      faults: [{ reason: { code: 'grant_required' } }],
    });
    expect((await run(list, more, admin.api)).body).toMatchObject({ status: 'succeeded', counts: { change: 1 } });
  });
});

describe('an import that skips faulty servers', () => {
  const PAIR = `[kafka]
broker-a ansible_host=192.0.2.9 broker_id=1
broker-b ansible_host=192.0.2.9 broker_id=2
[web]
web1 ansible_host=192.0.2.10
`;
  const SKIP = { skipFaulty: true };
  const skipped = async (answer: { body: ImportView }) =>
    (await entriesOf(answer, 'action=skip&limit=200')).map(({ name, reason }) => [name, reason]);

  it('continues without the second of two equal addresses; without the option it reports it', async () => {
    const refused = await preview(PAIR);
    expect(refused.body).toMatchObject({ status: 'failed', skipFaulty: false, counts: { create: 2, refuse: 1 } });
    expect(refused.body.faults).toMatchObject([{ reason: { code: 'duplicate_address' }, entry: 'broker-b', line: 3 }]);
    expect(refused.body.faults[0]?.reason.text).toMatch(/"broker-a".*skipFaulty/);
    const shown = await preview(PAIR, SKIP);
    expect(shown.body).toMatchObject({ status: 'succeeded', faults: [], counts: { create: 2, skip: 1, refuse: 0 } });
    const notCarriedItems = {
      line: 3,
      entry: 'broker-b',
      what: 'server',
      reason: { text: expect.stringContaining('"broker-a"') as unknown },
    };
    expect(shown.body.notCarried).toMatchObject([notCarriedItems]);
    const done = await operator.api.post<ImportView>(`/api/inventory/imports/${shown.body.id}/apply?wait=50`, {});
    expect(done.body).toMatchObject({
      status: 'succeeded',
      counts: { create: 2, skip: 1 },
      notCarried: [notCarriedItems],
    });
    expect([(await server('broker-a'))?.hostname, await server('broker-b')]).toEqual(['192.0.2.9', undefined]);
    expect(await skipped(done)).toEqual([
      ['broker-b', expect.objectContaining({ text: expect.stringContaining('"broker-a"') })],
    ]);
  });

  it('does the same for every error of a single server, and for servers that depend on it', async () => {
    await run([{ name: 'kept-by-hand', hostname: '192.0.2.40' }]);
    const list = [
      { name: 'good', hostname: '192.0.2.21' },
      { name: 'good-2', hostname: '192.0.2.21' },
      { name: 'GOOD', hostname: '192.0.2.22' },
      { name: 'bad address', hostname: 'no good host' },
      { name: 'bad-key', hostname: '192.0.2.24', hostKey: { publicKey: 'ssh-ed25519 nothing' } },
      { name: 'circle-a', hostname: '192.0.2.26', jumpServer: 'circle-b' },
      { name: 'circle-b', hostname: '192.0.2.27', jumpServer: 'circle-a' },
      { name: 'taken', hostname: '192.0.2.40' },
      { name: 'fine', hostname: '192.0.2.29', jumpServer: 'good' },
    ];
    const { body } = await run(list, SKIP);
    expect(body).toMatchObject({ status: 'succeeded', faults: [], total: list.length });
    const names = (await skipped({ body })).map(([name]) => name);
    expect(names).toEqual([...['good-2', 'GOOD', 'bad address', 'bad-key', 'circle-a', 'circle-b', 'taken']]);
    expect(body.notCarried.filter(({ what }) => what === 'server').map(({ entry }) => entry)).toEqual(names);
    expect((await server('fine'))?.jumpServerId).toBe((await server('good'))?.id);
  });

  it('prunes no server that it skips, and none that the text itself excludes', async () => {
    const source = { source: 'pruned', format: 'ssh-config', prune: 'remove', pruneLimitPercent: 100 };
    const first = 'Host p-1\n  HostName 192.0.2.61\nHost p-2\n  HostName 192.0.2.62\nHost p-3\n  HostName 192.0.2.63\n';
    expect((await run(first, source)).body).toMatchObject({ status: 'succeeded', counts: { create: 3 } });
    const second = `Match originalhost p-2 exec true\n  Port 99\n${first.replace('192.0.2.63', '192.0.2.61')}`;
    const { body } = await run(second, { ...source, ...SKIP });
    expect(body).toMatchObject({ status: 'succeeded', counts: { leave: 1, skip: 2, remove: 0 } });
    expect(await skipped({ body })).toEqual([
      ['p-2', expect.objectContaining({ text: expect.stringContaining('line 1') })],
      ['p-3', expect.objectContaining({ text: expect.stringContaining('"p-1"') })],
    ]);
    expect((await server('p-2'))?.port).toBe(22);
  });
});
