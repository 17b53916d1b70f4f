import { chmod, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { type KeyHosts, startKeyHosts } from '../../../test/support/key-hosts.js';
import { queryAs } from '../../../test/support/table-contents.js';
import type { RotationHostView, RotationView } from './rotation.view.js';

const ADDRESSES = Array.from({ length: 12 }, (_, index) => `127.0.4.${index + 1}`);
const [ELSEWHERE = '', OPTIONS = ''] = ADDRESSES.slice(4);
const SHARED = ADDRESSES.slice(6);

interface Key {
  id: string;
  name: string;
  publicKey: string;
  usedByCount: number;
  rotationId: string | null;
  code?: string;
}

let runward: Installation;
let hosts: KeyHosts;
let admin: TestMember;
let environmentId: string;
let numbered = 0;

beforeAll(async () => {
  [runward, hosts] = await Promise.all([
    startInstallation(),
    startKeyHosts(ADDRESSES, { elsewhere: [ELSEWHERE], sharedKeyHosts: SHARED }),
  ]);
  await runward.worker();
});
afterAll(async () => {
  await runward.close();
  await hosts.stop();
});

const made = async (path: string, body: object) => {
  const answer = await admin.api.post<{ id: string }>(path, body);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return answer.body.id;
};

async function scene(addresses: string[], port = hosts.hosts.sshd.port) {
  admin = await runward.tenant();
  numbered += 1;
  environmentId = await made('/api/environments', { name: `environment-${numbered}` });
  const keyId = await made('/api/ssh-keys', { name: 'deploy', privateKey: hosts.hosts.key.privateKey });
  const servers: string[] = [];
  for (const hostname of addresses) servers.push(await server(keyId, { hostname, port }));
  await admin.api.put(`/api/inventory/servers/${servers[0]}/host-key/shared`, { shared: true });
  return { keyId, servers };
}

const server = (sshKeyId: string, fields: object) => {
  numbered += 1;
  const { hostKey, user, port } = hosts.hosts.sshd;
  const usual = { name: `server-${numbered}`, port, username: user, sshKeyId, environmentId };
  return made('/api/inventory/servers', {
    ...usual,
    hostKey: { publicKey: `${hostKey.type} ${hostKey.publicKey}` },
    ...fields,
  });
};

const rotate = (keyId: string, body: object = { generate: { type: 'ed25519' } }) =>
  admin.api.post<RotationView & { code?: string }>(`/api/ssh-keys/${keyId}/rotate`, body);
const get = async (id: string, wait = 0) =>
  (await admin.api.get<RotationView>(`/api/key-rotations/${id}?wait=${wait}`)).body;
const hostsOf = async (id: string) =>
  (await admin.api.get<{ items: RotationHostView[] }>(`/api/key-rotations/${id}/hosts`)).body.items;
const key = async (id: string | null) => (await admin.api.get<Key>(`/api/ssh-keys/${id}`)).body;
const check = async (id: string) =>
  (await admin.api.post<{ state: string; sshKeyId: string }>(`/api/inventory/servers/${id}/check`)).body;

const keysAt = async (...at: string[]) => Promise.all(at.map((address) => hosts.keysOn(address)));
const reset = async () => {
  for (const address of ADDRESSES)
    if (address !== ELSEWHERE) await hosts.writeKeys(address, `${hosts.hosts.key.publicKey}\n`);
};

describe('a rotation', () => {
  beforeEach(reset);

  it('installs the new key on every host, sets it on the servers and removes the old one', async () => {
    const some = ADDRESSES.slice(0, 4);
    const { keyId, servers } = await scene(some);
    const begun = await rotate(keyId);
    expect(begun.body).toMatchObject({ open: true, keyName: 'deploy', counts: { pending: 4 } });
    expect(begun.headers.get('location')).toBe(`/api/key-rotations/${begun.body.id}`);
    expect(begun.text).not.toContain('PRIVATE');
    const over = await get(begun.body.id, 50);
    expect([over.open, over.counts.done]).toEqual([false, 4]);
    const fresh = await key(over.newKey.id);
    expect(fresh).toMatchObject({ name: 'deploy', usedByCount: 4, rotationId: null });
    expect(new Set(await keysAt(...some))).toEqual(new Set([`${fresh.publicKey}\n`]));
    expect((await check(servers[0] ?? '')).state).toBe('reachable');
    expect((await key(keyId)).name).toMatch(/^deploy \(until \d{4}-\d\d-\d\d\)$/);
    expect((await admin.api.delete(`/api/ssh-keys/${keyId}`)).status).toBe(204);
    expect((await get(over.id)).oldKey).toMatchObject({ id: null });
  });

  it('gives the new key the options of the old one and changes no other byte', async () => {
    const { keyId } = await scene([OPTIONS]);
    const old = hosts.hosts.key.publicKey;
    const [type, blob] = old.split(' ');
    const options = `from="127.0.0.0/8,::1",no-pty,environment="A=say \\"hi\\" AAAA %s"`;
    const others = ['# of Bob\tand "Ann', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ someone\\else', '', ' \t'];
    const file = (own: string[]) => [...others, ...own].join('\n');
    await hosts.writeKeys(OPTIONS, file([`${options} ${old}`, `  ${type}\t${blob} another comment`, 'no end \u00e9']));
    const mode = async () => (await stat(path.join(hosts.home(OPTIONS), '.ssh/authorized_keys'))).mode;
    const before = await mode();
    const over = await get((await rotate(keyId)).body.id, 50);
    expect([over.open, over.counts.done]).toEqual([false, 1]);
    const { publicKey } = await key(over.newKey.id);
    expect(await hosts.keysOn(OPTIONS)).toBe(`${file(['no end \u00e9'])}\n${options} ${publicKey}\n${publicKey}\n`);
    expect(await mode()).toBe(before);
  });

  it('changes the target of a link and keeps the link', async () => {
    const { keyId } = await scene([OPTIONS]);
    const folder = path.join(hosts.home(OPTIONS), '.ssh');
    await rename(path.join(folder, 'authorized_keys'), path.join(folder, 'real keys'));
    await symlink('real keys', path.join(folder, 'authorized_keys'));
    const over = await get((await rotate(keyId)).body.id, 50);
    expect(over.open).toBe(false);
    expect(await hosts.keysOn(OPTIONS)).toBe(`${(await key(over.newKey.id)).publicKey}\n`);
    expect(await readlink(path.join(folder, 'authorized_keys'))).toBe('real keys');
    await rm(path.join(folder, 'authorized_keys'));
  });

  it('changes nothing and reports it if a host keeps keys elsewhere or its file is not writable', async () => {
    const { keyId } = await scene([ELSEWHERE, OPTIONS]);
    const folder = path.join(hosts.home(OPTIONS), '.ssh');
    const before = await keysAt(ELSEWHERE, OPTIONS);
    await chmod(folder, 0o555);
    try {
      const { id } = (await rotate(keyId)).body;
      const failed = await eventually('both have failed', async () => {
        const all = await hostsOf(id);
        return all.every(({ status }) => status === 'failed') && all;
      });
      expect(failed.map(({ reason }) => reason?.code)).toEqual(['key_not_in_file', 'not_writable']);
      expect(await keysAt(ELSEWHERE, OPTIONS)).toEqual(before);
    } finally {
      await chmod(folder, 0o700);
    }
  });

  it('stays open for an unreachable host, whose old key stays valid, until a retry', async () => {
    const [first = '', away = ''] = ADDRESSES;
    const { keyId, servers } = await scene([first]);
    const late = await server(keyId, { hostname: away, port: 1 });
    const { id, newKey } = (await rotate(keyId)).body;
    await eventually('one is done and one has failed', async () => {
      const { counts } = await get(id);
      return counts.done === 1 && counts.failed === 1;
    });
    const failed = (await admin.api.get<{ items: RotationHostView[] }>(`/api/key-rotations/${id}/hosts?status=failed`))
      .body;
    expect(failed.items).toMatchObject([{ serverId: late, reason: { code: 'connection_refused' }, status: 'failed' }]);
    expect(await keysAt(away)).toEqual([`${hosts.hosts.key.publicKey}\n`]);
    for (const each of [keyId, newKey.id]) {
      const refused = await admin.api.delete<Key>(`/api/ssh-keys/${each}`);
      expect([refused.status, refused.body.code]).toEqual([409, 'in_use']);
      expect((await rotate(each ?? '')).body.code).toBe('rotation_open');
    }
    expect((await admin.api.patch(`/api/inventory/servers/${late}`, { port: hosts.hosts.sshd.port })).status).toBe(200);
    await admin.api.patch(`/api/inventory/servers/${late}`, { port: hosts.hosts.sshd.port });
    await check(late);
    const { fingerprint } = hosts.hosts.sshd.hostKey;
    expect((await admin.api.put(`/api/inventory/servers/${late}/host-key`, { fingerprint })).status).toBe(200);
    expect((await check(late)).state).toBe('reachable');
    expect((await admin.api.post(`/api/key-rotations/${id}/retry`, {})).status).toBe(200);
    expect(await get(id, 50)).toMatchObject({ open: false, counts: { done: 2 } });
    expect((await check(servers[0] ?? '')).state).toBe('reachable');
  });

  it('ends when its last host is given up, and audits the reason', async () => {
    const { keyId } = await scene([]);
    const gone = await server(keyId, { hostname: ADDRESSES[0], port: 1 });
    const { id } = (await rotate(keyId)).body;
    expect(
      (await admin.api.post<Key>(`/api/key-rotations/${id}/retry`, { serverIds: [environmentId] })).body.code,
    ).toBe('no_hosts_waiting');
    await eventually('it has failed', async () => (await get(id)).counts.failed === 1);
    const answer = await admin.api.post(`/api/key-rotations/${id}/give-up`, { comment: 'scrapped' });
    expect(answer.status).toBe(200);
    expect(await get(id, 50)).toMatchObject({ open: false, counts: { given_up: 1 } });
    const { body } = await admin.api.get<{ items: { after: object }[] }>('/api/audit-logs?action=key_rotation.give_up');
    expect(body.items[0]?.after).toMatchObject({ comment: 'scrapped', count: 1 });
    expect((await admin.api.get(`/api/inventory/servers/${gone}`)).body).toMatchObject({ sshKeyId: keyId });
  });

  it('includes a server that gets the old key later, and drops a deleted server', async () => {
    const { keyId } = await scene([]);
    const gone = await server(keyId, { hostname: ADDRESSES[0], port: 1 });
    const { id } = (await rotate(keyId)).body;
    await eventually('it has failed', async () => (await get(id)).counts.failed === 1);
    const late = await server(keyId, { hostname: ADDRESSES[1] });
    expect((await admin.api.delete(`/api/inventory/servers/${gone}`)).status).toBe(204);
    const over = await get(id, 50);
    expect(over).toMatchObject({ open: false, counts: { done: 1, left: 1 } });
    expect((await admin.api.get(`/api/inventory/servers/${late}`)).body).toMatchObject({ sshKeyId: over.newKey.id });
  });

  it('sends nothing to a host without an accepted host key', async () => {
    const { keyId } = await scene([]);
    await server(keyId, { hostname: ADDRESSES[0], hostKey: undefined });
    const { id, newKey } = (await rotate(keyId)).body;
    await eventually('it has failed', async () => (await get(id)).counts.failed === 1);
    expect(await hostsOf(id)).toMatchObject([{ reason: { code: 'host_key_not_pinned' } }]);
    expect(await key(newKey.id)).toMatchObject({ lastUsedAt: null });
  });
});

describe('servers that share one file', () => {
  beforeEach(reset);

  it('are rotated at the same time: each line is added once, and the old key is removed last', async () => {
    const { keyId } = await scene(SHARED);
    // A server in another environment that is also the first machine.
    const here = environmentId;
    environmentId = await made('/api/environments', { name: 'elsewhere' });
    const twin = await server(keyId, { hostname: SHARED[0] });
    environmentId = here;
    const over = await get((await rotate(keyId)).body.id, 50);
    expect((await hostsOf(over.id)).filter(({ status }) => status !== 'done')).toEqual([]);
    const { publicKey } = await key(over.newKey.id);
    expect(await keysAt(SHARED[0] ?? '')).toEqual([`${publicKey}\n`]);
    expect((await check(twin)).state).toBe('reachable');
  });

  it('keep the old key while one of them still needs it', async () => {
    const [address = ''] = SHARED;
    const { keyId } = await scene([address]);
    const again = await made('/api/ssh-keys', { name: 'the same', privateKey: hosts.hosts.key.privateKey });
    environmentId = await made('/api/environments', { name: 'elsewhere' });
    const other = await server(again, { hostname: address });
    const { id, newKey } = (await rotate(keyId)).body;
    await eventually('it has failed', async () => (await get(id)).counts.failed === 1);
    const [host] = await hostsOf(id);
    expect(host).toMatchObject({
      reason: { code: 'old_key_needed', text: expect.stringContaining('another server of this') },
    });
    const { publicKey } = await key(newKey.id);
    expect(await keysAt(address)).toEqual([`${hosts.hosts.key.publicKey}\n${publicKey}\n`]);
    expect((await check(other)).state).toBe('reachable');
    await admin.api.delete(`/api/inventory/servers/${other}`);
    await admin.api.post(`/api/key-rotations/${id}/retry`, {});
    expect(await get(id, 50)).toMatchObject({ open: false, counts: { done: 1 } });
    expect(await keysAt(address)).toEqual([`${publicKey}\n`]);
  });
});

describe('an unfinished run', () => {
  beforeEach(reset);

  it('keeps the old key on its hosts until it has finished', async () => {
    const [address = ''] = ADDRESSES;
    const { keyId } = await scene([address]);
    const planId = await made('/api/plans', {
      name: 'pause',
      environmentId,
      steps: [
        { key: 'gate', type: 'gate', message: 'go on?' },
        { key: 'one', command: 'true' },
      ],
    });
    const run = await made('/api/executions', { planId, execution_mode: 'auto' });
    const { id } = (await rotate(keyId)).body;
    await eventually('it waits for the run', async () => (await hostsOf(id))[0]?.reason?.code === 'run_not_finished');
    expect((await keysAt(address))[0]).toContain(hosts.hosts.key.publicKey);
    const answer = await admin.api.post(`/api/executions/${run}/decisions`, { stepKey: 'gate', action: 'proceed' });
    expect(answer.status).toBe(200);
    expect(await get(id, 50)).toMatchObject({ open: false, counts: { done: 1 } });
    expect((await admin.api.get(`/api/executions/${run}`)).body).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('a finished run with an unknown result', () => {
  beforeEach(reset);

  /** Stores a run that lost its only host. The run still holds the guard key of that host. */
  async function interrupted(serverId: string): Promise<string> {
    const planId = await made('/api/plans', {
      name: 'lost',
      environmentId,
      steps: [
        { key: 'gate', type: 'gate', message: 'go on?' },
        { key: 'lost', command: 'true' },
      ],
    });
    const run = await made('/api/executions', { planId, execution_mode: 'auto' });
    await eventually('it is at its gate', async () => {
      const { body } = await admin.api.get<{ status: string }>(`/api/executions/${run}`);
      return body.status === 'PAUSED';
    });
    const sql = (text: string, ...values: unknown[]) =>
      queryAs(runward.database, admin.tenantId, text, [run, ...values]);
    await sql('delete from host_results where execution_id = $1');
    await sql(
      `insert into host_results (tenant_id, execution_id, step_index, server_id, status, attempts, dispatch_id, epoch, finished_at)
        select tenant_id, id, 1, $2, 'UNKNOWN', 1, id, epoch, now() from executions where id = $1`,
      serverId,
    );
    await sql(
      `update executions set status = 'INTERRUPTED', finished_at = now(), pause_reason = null, status_code = 'hosts_lost',
        status_text = 'Lost.' where id = $1`,
    );
    await sql(`update execution_hosts set status = 'UNKNOWN' where execution_id = $1`);
    await sql(`update execution_steps set status = 'FAILED' where execution_id = $1`);
    await sql(`delete from guard_keys where execution_id = $1 and key not like 'host:%'`);
    return run;
  }

  it('keeps the old key on its hosts until the result is resolved', async () => {
    const [address = ''] = ADDRESSES;
    const { keyId, servers } = await scene([address]);
    const run = await interrupted(servers[0] ?? '');
    const { id } = (await rotate(keyId)).body;
    await eventually('it waits for the run', async () => (await hostsOf(id))[0]?.reason?.code === 'run_not_finished');
    expect((await keysAt(address))[0]).toContain(hosts.hosts.key.publicKey);
    expect(await get(id)).toMatchObject({ open: true });
    // The host already accepts the new key. The old key is not removed yet.
    expect(await check(servers[0] ?? '')).toMatchObject({ state: 'reachable' });
    const answer = await admin.api.post(`/api/executions/${run}/hosts/${servers[0]}/resolve`, {
      stepKey: 'lost',
      action: 'mark_failed',
      comment: 'It never began.',
    });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    expect(await get(id, 50)).toMatchObject({ open: false, counts: { done: 1 } });
    expect((await keysAt(address))[0]).not.toContain(hosts.hosts.key.publicKey);
  });
});

describe('the rights for a rotation', () => {
  beforeEach(reset);

  it('are required in all environments of the servers, and include "approve" in protected ones', async () => {
    const { keyId } = await scene([ADDRESSES[0] ?? '']);
    const operator = await runward.member(admin, 'operator');
    const ask = () =>
      operator.api.post<{ code: string; referrers: object[]; hiddenReferrers: number }>(
        `/api/ssh-keys/${keyId}/rotate`,
        {
          generate: { type: 'ed25519' },
        },
      );
    const path = `/api/environments/${environmentId}`;
    expect((await admin.api.patch(path, { access: 'restricted' })).status).toBe(200);
    expect((await ask()).body).toMatchObject({ code: 'grant_required', referrers: [], hiddenReferrers: 1 });
    const grant = (level: string) => admin.api.put(`${path}/grants/${operator.userId}`, { level });
    await grant('view');
    expect((await ask()).body).toMatchObject({ code: 'grant_required', hiddenReferrers: 0, referrers: [{}] });
    await grant('run');
    expect((await admin.api.patch(path, { protected: true })).status).toBe(200);
    expect((await ask()).body).toMatchObject({ code: 'grant_required', referrers: [{}] });
    await grant('approve');
    const begun = await ask();
    expect(begun.status).toBe(201);
    const stranger = await runward.member(admin, 'viewer');
    const { id } = begun.body as unknown as RotationView;
    const shown = await stranger.api.get<RotationView>(`/api/key-rotations/${id}`);
    expect([shown.status, Object.values(shown.body.counts)]).toEqual([200, [0, 0, 0, 0, 0, 0, 0]]);
    expect((await stranger.api.get(`/api/key-rotations/${id}/hosts`)).body).toEqual({ items: [], nextCursor: null });
    expect(await get(id, 50)).toMatchObject({ open: false, counts: { done: 1 } });
  });
});
