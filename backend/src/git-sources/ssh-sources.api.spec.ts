import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureSshd, type RunningSshd, startSshd } from '../../../scripts/lib/sshd.mjs';
import type { ApiClient } from '../../test/support/api-client.js';
import { eventually } from '../../test/support/eventually.js';
import { makeRepository, type TestRepository } from '../../test/support/git-remotes.js';
import { type Installation, startInstallation } from '../../test/support/installation.js';
import type { GitFileView, GitSourceView } from './git-sources.view.js';

const ROUTE = '/api/git-sources';
const ADDRESS = '127.0.3.1';

let folder: string;
let sshd: RunningSshd;
let runward: Installation;
let api: ApiClient;
let repository: TestRepository;
let key: { id: string; publicKey: string };
let other: { id: string; publicKey: string };
let latest: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-git-ssh-'));
  await chmod(folder, 0o755);
  runward = await startInstallation({
    RUNWARD_DATA_DIR: path.join(folder, 'data with blanks'),
    RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8',
  });
  await runward.worker();
  ({ api } = await runward.tenant());
  const make = async (name: string) =>
    (await api.post<{ id: string; publicKey: string }>('/api/ssh-keys', { name, generate: { type: 'ed25519' } })).body;
  [key, other] = await Promise.all([make('deploy'), make('other')]);
  repository = await makeRepository(path.join(folder, 'served.git'));
  latest = await repository.commit({ 'a.sh': 'echo a\n' });
  sshd = await startSshd({
    sshdPath: await ensureSshd(),
    dir: path.join(folder, 'sshd'),
    addresses: [ADDRESS],
    authorizedKeys: [key.publicKey],
  });
  if (process.getuid?.() === 0) await promisify(execFile)('chown', ['-R', sshd.user, repository.folder]);
});
afterAll(async () => {
  await runward.close();
  await sshd.stop();
  await rm(folder, { recursive: true, force: true });
});

const get = async (id: string) => (await api.get<GitSourceView>(`${ROUTE}/${id}`)).body;
const waitUntilSynced = (id: string) =>
  eventually(`the sync of ${id}`, async () => {
    const source = await get(id);
    return source.syncRequestedAt === null && !source.syncing && source;
  });
const url = () => `ssh://${sshd.user}@${ADDRESS}:${sshd.port}${repository.folder}`;
async function create(name: string, more: object = {}): Promise<GitSourceView> {
  const answer = await api.post<GitSourceView>(ROUTE, { name, url: url(), credential: { sshKeyId: key.id }, ...more });
  if (answer.status !== 201) throw new Error(answer.text);
  return waitUntilSynced(answer.body.id);
}
async function change(id: string, body: object): Promise<GitSourceView> {
  const answer = await api.patch<GitSourceView>(`${ROUTE}/${id}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return waitUntilSynced(id);
}
const keyFiles = async () =>
  (await readdir(path.join(folder, 'data with blanks', 'git', 'temporary'), { recursive: true }).catch(() => []))
    .length;

describe('git source with an ssh address', () => {
  it('waits until a member accepts the host key, and then syncs with it', async () => {
    const { fingerprint, type } = sshd.hostKeyOf(ADDRESS);
    const first = await create('first contact');
    expect(first).toMatchObject({
      ...{ state: 'host_key_unknown', commit: null, hostKey: null },
      seenHostKey: { fingerprint, type },
      reason: { code: 'host_key_unknown', text: expect.stringContaining(fingerprint) },
    });
    const accepted = await change(first.id, { hostKey: { fingerprint } });
    expect(accepted).toMatchObject({ state: 'ready', commit: latest, hostKey: { fingerprint, type }, reason: null });
    const { body } = await api.get<GitFileView>(`${ROUTE}/${first.id}/file?path=a.sh`);
    expect(body.content).toBe('echo a\n');
    expect(await keyFiles()).toBe(0);
  });

  it('learns the key of a fingerprint that was set in advance', async () => {
    const { fingerprint, type } = sshd.hostKeyOf(ADDRESS);
    const known = await create('known before', { hostKey: { fingerprint } });
    expect(known).toMatchObject({ state: 'ready', commit: latest, hostKey: { fingerprint, type } });
  });

  it('accepts a public key in advance, and rejects one with another fingerprint', async () => {
    const { fingerprint, type, publicKey } = sshd.hostKeyOf(ADDRESS);
    const line = `${type} ${publicKey}`;
    const known = await create('public key before', { hostKey: { publicKey: line } });
    expect(known).toMatchObject({ state: 'ready', commit: latest, hostKey: { fingerprint, type } });
    const patch = (hostKey: object) =>
      api.patch<{ errors?: { path: string; code: string }[] }>(`${ROUTE}/${known.id}`, { hostKey });
    expect((await patch({ publicKey: line, fingerprint })).status).toBe(200);
    const codes = async (hostKey: object) =>
      (await patch(hostKey)).body.errors?.map(({ path, code }) => `${path} ${code}`);
    expect(await codes({ publicKey: line, fingerprint: `SHA256:${'A'.repeat(43)}` })).toEqual([
      '/hostKey/fingerprint conflicting_fields',
    ]);
    expect(await codes({ publicKey: 'hello' })).toEqual(['/hostKey/publicKey invalid_host_key']);
    expect(await codes({})).toEqual(['/hostKey required']);
  });

  it('rejects a host key that differs from the accepted one, and reports both', async () => {
    const { fingerprint } = sshd.hostKeyOf(ADDRESS);
    const wrong = `SHA256:${'A'.repeat(43)}`;
    const { id } = await create('changed', { hostKey: { fingerprint: wrong } });
    const refused = await get(id);
    expect(refused).toMatchObject({
      state: 'host_key_changed',
      reason: { code: 'host_key_changed' },
      commit: null,
      seenHostKey: { fingerprint },
    });
    expect(refused.reason?.text).toContain(wrong);
    expect(refused.reason?.text).toContain(fingerprint);
    const { id: known } = await create('changed later', { hostKey: { fingerprint } });
    await runward.database.query(
      `select set_config('app.tenant', tenant_id::text, false) from auth_directory where kind = 'git_source' limit 1`,
    );
    await runward.database.query(
      `update git_sources set host_key_fingerprint = $2::text, host_key = jsonb_build_object('type', 'ssh-ed25519', 'publicKey', $3::text, 'fingerprint', $2::text)
        where id = $1`,
      [known, wrong, key.publicKey.split(' ')[1]],
    );
    await api.post(`${ROUTE}/${known}/sync`);
    expect(await waitUntilSynced(known)).toMatchObject({
      state: 'host_key_changed',
      commit: latest,
      seenHostKey: { fingerprint },
    });
    expect(await keyFiles()).toBe(0);
  });

  it("reports ssh's error when the remote rejects the key", async () => {
    const { fingerprint } = sshd.hostKeyOf(ADDRESS);
    const { id } = await create('login refused', { hostKey: { fingerprint }, credential: { sshKeyId: other.id } });
    const refused = await get(id);
    expect(refused).toMatchObject({ state: 'failed', reason: { code: 'login_refused' }, commit: null });
    expect(refused.reason?.text).toContain('Permission denied');
    expect(await change(id, { credential: { sshKeyId: key.id } })).toMatchObject({ state: 'ready', commit: latest });
    const moved = await api.patch<GitSourceView>(`${ROUTE}/${id}`, { url: 'git@other.example.test:x.git' });
    expect(moved.body).toMatchObject({ credential: null, hostKey: null, commit: null });
  });

  it('fails without a key', async () => {
    const { id } = await create('no key', { credential: null });
    expect(await get(id)).toMatchObject({
      state: 'failed',
      reason: { code: 'login_refused', text: expect.stringContaining('no SSH key') },
    });
  });
});
