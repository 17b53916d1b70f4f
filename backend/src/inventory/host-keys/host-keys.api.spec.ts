import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { type HostKey, parseHostKey } from '../../transport/keys/host-key.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import type { ServerView } from '../servers.view.js';
import type { PinListView } from './host-keys.view.js';

type Answered = ServerView & { code?: string; errors?: { path: string; code: string }[] };

let folder: string;
let runward: Installation;
let admin: TestMember;
let hosts: SshHosts;
let rsa: HostKey;
let base: object;
let environmentId: string;
let numbered = 0;

const PATH = '/api/inventory/servers';
const line = ({ type, publicKey }: Pick<HostKey, 'type' | 'publicKey'>) => ({ publicKey: `${type} ${publicKey}` });
const newKey = async (type: 'ed25519' | 'ecdsa' = 'ed25519') =>
  parseHostKey((await generateKeyPair({ type })).publicKey);

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-pins-'));
  const second = await generateKeyPair({ type: 'rsa' });
  rsa = parseHostKey(second.publicKey);
  const file = path.join(folder, 'rsa');
  await writeFile(file, second.privateKey, { mode: 0o600 });
  [hosts, runward] = await Promise.all([startSshHosts({ extraConfig: `HostKey ${file}` }), startInstallation()]);
  admin = await runward.tenant('acme');
  const made = async (at: string, body: object) => (await admin.api.post<{ id: string }>(at, body)).body.id;
  environmentId = await made('/api/environments', { name: 'live' });
  const sshKeyId = await made('/api/ssh-keys', { name: 'key', privateKey: hosts.key.privateKey });
  const { port, user: username } = hosts.sshd;
  base = { hostname: '127.0.0.1', port, username, sshKeyId, environmentId };
});
afterAll(async () => {
  await runward.close();
  await hosts.stop();
  await rm(folder, { recursive: true, force: true });
});

async function register(fields: object = {}): Promise<ServerView> {
  numbered += 1;
  // By default, each server is a separate machine, to which no test connects.
  const own = { ...base, hostname: `host-${numbered}.invalid`, name: `web-${numbered}` };
  const { status, body, text } = await admin.api.post<ServerView>(PATH, { ...own, ...fields });
  if (status !== 201) throw new Error(text);
  return body;
}
const set = (id: string, hostKeys: object[], headers = {}) =>
  admin.api.put<Answered>(`${PATH}/${id}/host-keys`, { hostKeys }, headers);
const pins = async (id: string) => (await admin.api.get<PinListView>(`${PATH}/${id}/host-keys`)).body.items;
const check = async (id: string) => (await admin.api.post<ServerView>(`${PATH}/${id}/check`)).body;

describe('the pinned keys of a server', () => {
  it('can be several, one per type, with the preferred one first', async () => {
    const { hostKey } = hosts.sshd;
    const made = await register({ hostname: '127.0.0.1', hostKeys: [line(rsa), line(hostKey)] });
    expect(made.hostKeys.map(({ fingerprint }) => fingerprint)).toEqual([hostKey.fingerprint, rsa.fingerprint]);
    expect(made.hostKey?.fingerprint).toBe(hostKey.fingerprint);
    expect((await check(made.id)).state).toBe('reachable');
    expect((await set(made.id, [line(rsa)])).body).toMatchObject({ hostKey: rsa, state: 'unchecked' });
    const checked = await check(made.id);
    expect(checked).toMatchObject({ state: 'reachable', seenHostKey: rsa });
    await admin.api.delete(`${PATH}/${made.id}`);
  });

  it('are written only when they differ, with optimistic locking by version', async () => {
    const [one, other] = [await newKey(), await newKey('ecdsa')];
    const made = await register({ hostKeys: [line(one), line(other)] });
    const same = await set(made.id, [line(other), line(one)]);
    expect([same.status, same.body.version]).toEqual([200, made.version]);
    expect((await set(made.id, [], { 'if-match': '"99"' })).status).toBe(412);
    const none = await set(made.id, []);
    expect(none.body).toMatchObject({ hostKey: null, hostKeys: [], version: made.version + 1 });
    const sql = 'select action from audit_entries where resource_id = $1 order by id';
    const trail = await queryAs<{ action: string }>(runward.database, admin.tenantId, sql, [made.id]);
    expect(trail.map(({ action }) => action)).toEqual(['server.create', 'server.set_host_keys']);
  });

  it('can be named by their fingerprint if they are pinned, or if the last check saw them', async () => {
    const { hostKey } = hosts.sshd;
    const { id } = await register({ hostname: '127.0.0.1', hostKeys: [line(rsa)] });
    const { fingerprint } = rsa;
    expect((await set(id, [{ fingerprint }, line(hostKey)])).body.hostKeys).toMatchObject([hostKey, rsa]);
    expect((await set(id, [{ fingerprint: hostKey.fingerprint }])).body.hostKeys).toMatchObject([hostKey]);
    await admin.api.delete(`${PATH}/${id}`);
  });

  it('can be pinned by fingerprint before a check, and get their key when the host proves it', async () => {
    const unproved = { type: 'unknown', publicKey: '', fingerprint: rsa.fingerprint };
    const made = await register({ hostname: '127.0.0.1', hostKey: { fingerprint: rsa.fingerprint } });
    const exported = async () => (await admin.api.get<string>(`${PATH}/export?format=known_hosts`)).text;
    expect(made.hostKeys).toMatchObject([unproved]);
    expect(await exported()).not.toContain('unknown');
    const { hostKeys, version } = (await admin.api.get<ServerView>(`${PATH}/${made.id}`)).body;
    expect((await set(made.id, hostKeys)).body).toMatchObject({ hostKeys: [unproved], version });

    expect(await check(made.id)).toMatchObject({ state: 'reachable', seenHostKey: rsa, hostKeys: [rsa] });
    expect(await exported()).toContain(rsa.publicKey);
    expect(await pins(made.id)).toMatchObject([{ ...rsa, pinnedHow: 'registered', retiredAt: null }]);
    await admin.api.delete(`${PATH}/${made.id}`);
  });

  it('refuse a host that proves no key with a pinned fingerprint', async () => {
    const { hostKey } = hosts.sshd;
    const { fingerprint } = await newKey();
    const made = await register({ hostname: '127.0.0.1', hostKey: { fingerprint } });
    const checked = await check(made.id);
    expect(checked).toMatchObject({ state: 'host_key_changed', seenHostKey: hostKey });
    expect(checked.hostKeys).toMatchObject([{ fingerprint, publicKey: '' }]);
    await admin.api.delete(`${PATH}/${made.id}`);
  });

  it('do not accept an unknown certificate authority by its fingerprint', async () => {
    const { id } = await register();
    const { fingerprint } = await newKey();
    expect((await set(id, [{ fingerprint, certAuthority: true }])).body).toMatchObject({ code: 'host_key_not_seen' });
  });

  it('are rejected when two have one type, one is repeated or one is invalid', async () => {
    const { id } = await register();
    const [one, other] = [await newKey(), await newKey()];
    const faults = async (hostKeys: object[]) => {
      const { status, body } = await set(id, hostKeys);
      return [status, body.errors?.map(({ path: at, code }) => `${at} ${code}`)];
    };
    expect(await faults([line(one), line(other)])).toEqual([400, ['/hostKeys/1/publicKey duplicate_item']]);
    expect(await faults([line(one), line(one)])).toEqual([400, ['/hostKeys/1/publicKey duplicate_item']]);
    expect(await faults([{ publicKey: 'hello' }])).toEqual([400, ['/hostKeys/0/publicKey invalid_host_key']]);
    expect(await faults(Array.from({ length: 9 }, () => line(one)))).toEqual([400, ['/hostKeys too_many']]);
    const both = await admin.api.post<Answered>(PATH, {
      ...base,
      name: 'both',
      hostname: 'both.invalid',
      hostKey: line(one),
      hostKeys: [line(one)],
    });
    expect([both.status, both.body.errors?.[0]?.code]).toEqual([400, 'not_applicable']);
  });

  it('stay when an outside system sends one of them, and are replaced by an unknown key', async () => {
    const [one, more, another] = [await newKey(), await newKey('ecdsa'), await newKey()];
    const at = `${PATH}/by-external-id/cmdb/pins`;
    const fields = { ...base, name: 'from-cmdb', hostname: 'cmdb.invalid' };
    const put = async (keys: object) => (await admin.api.put<ServerView>(at, { ...fields, ...keys })).body;
    const first = await put({ hostKeys: [line(one), line(more)] });
    const second = await put({ hostKey: line(more) });
    expect([second.version, second.hostKeys.length]).toEqual([first.version, 2]);
    expect((await put({ hostKey: line(another) })).hostKeys).toMatchObject([another]);
  });
});

describe('the history of the pins', () => {
  it('contains who pinned each key, when and how, and how it was retired', async () => {
    const [first, second] = [await newKey(), await newKey()];
    const { id } = await register({ hostKey: line(first) });
    await set(id, [line(second), { ...line(await newKey('ecdsa')), certAuthority: true }]);
    await admin.api.patch(`${PATH}/${id}`, { hostname: 'elsewhere.invalid' });
    const expectedMessage = await pins(id);
    const admin1 = { id: expect.any(String), name: 'Admin 1' };
    const by = { pinnedBy: admin1, pinnedAt: expect.any(String) };
    expect(expectedMessage).toEqual([
      expect.objectContaining({ ...by, pinnedHow: 'set', retiredHow: 'readdressed', retiredBy: admin1 }),
      expect.objectContaining({ ...by, pinnedHow: 'set', retiredHow: 'readdressed' }),
      expect.objectContaining({ ...by, ...first, pinnedHow: 'registered', retiredHow: 'set' }),
    ]);
    expect(expectedMessage.map(({ certAuthority }) => certAuthority).sort()).toEqual([false, false, true]);
  });

  it('keeps the latest hundred retired pins', async () => {
    const [one, other] = [await newKey(), await newKey()];
    const { id } = await register();
    await queryAs(
      runward.database,
      admin.tenantId,
      `do $$ begin for i in 1..120 loop
          update servers set host_key = case when i % 2 = 0 then '${JSON.stringify(one)}'::jsonb
            else '${JSON.stringify(other)}' end where id = '${id}';
        end loop; end $$`,
    );
    const expectedMessage = await pins(id);
    expect([expectedMessage.length, expectedMessage.filter(({ retiredAt }) => retiredAt === null).length]).toEqual([
      101, 1,
    ]);
  });
});

describe('a host that shows another key', () => {
  it('is stopped with both fingerprints and the origin of the old pin; an accepted key replaces all pins', async () => {
    const [own, more] = [await newKey('ecdsa'), await newKey()];
    const made = await register({ hostname: '127.0.0.1', hostKeys: [line(own), line(more)] });
    const checked = await check(made.id);
    expect(checked.state).toBe('host_key_changed');
    for (const text of [own.fingerprint, more.fingerprint, hosts.sshd.hostKey.fingerprint]) {
      expect(checked.lastCheck?.reason.text).toContain(text);
    }
    expect(checked.lastCheck?.reason.text).toMatch(
      / Admin 1 pinned the old key on \d{4}-\d\d-\d\d at \d\d:\d\d UTC\.$/,
    );
    const accepted = await admin.api.put<ServerView>(`${PATH}/${made.id}/host-key`, {
      fingerprint: hosts.sshd.hostKey.fingerprint,
    });
    expect(accepted.body.hostKeys).toMatchObject([hosts.sshd.hostKey]);
    expect((await pins(made.id)).map(({ pinnedHow, retiredHow }) => [pinnedHow, retiredHow])).toEqual([
      ['accepted', null],
      ['registered', 'accepted'],
      ['registered', 'accepted'],
    ]);
    await admin.api.delete(`${PATH}/${made.id}`);
  });
});

describe('a key of a server in a protected environment', () => {
  it('is refused for servers elsewhere, for each of its keys; certificate authorities are not protected', async () => {
    const guarded = await admin.api.post<{ id: string }>('/api/environments', { name: 'guarded', protected: true });
    const [one, more, authority] = [await newKey(), await newKey('ecdsa'), await newKey('ecdsa')];
    await register({
      environmentId: guarded.body.id,
      hostKeys: [line(one), line(more), { ...line(authority), certAuthority: true }],
    });
    const { id } = await register();
    for (const key of [one, more]) {
      expect((await set(id, [line(key)])).body.code).toBe('protected_host');
      expect((await set(id, [{ fingerprint: key.fingerprint }])).body.code).toBe('protected_host');
    }
    expect((await set(id, [{ ...line(authority), certAuthority: true }])).status).toBe(200);
    expect((await set(id, [line(authority)])).status).toBe(200);
  });
});
