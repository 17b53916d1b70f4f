import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, createHmac } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ApiClient } from '../../test/support/api-client.js';
import { eventually } from '../../test/support/eventually.js';
import { type GitRemotes, startGitRemotes } from '../../test/support/git-remotes.js';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import type { GitCommitListView, GitFileView, GitSourceView, GitTreeView } from './git-sources.view.js';

const ROUTE = '/api/git-sources';
const TOKEN = 'token-of-the-source';
const SECRET = 'secret-of-the-forge';

let remotes: GitRemotes;
let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;
let api: ApiClient;
let dataDir: string;
let otherDir: string;
let numbered = 0;

beforeAll(async () => {
  remotes = await startGitRemotes();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-git-'));
  otherDir = await mkdtemp(path.join(os.tmpdir(), 'runward-git-'));
  runward = await startInstallation({
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_GIT_CA_FILE: remotes.caFile,
    RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1',
  });
  // Simulates another machine, which shares the database but not the disk of the API.
  await runward.worker({ dataDir: otherDir });
  admin = await runward.tenant();
  operator = await runward.member(admin, 'operator');
  viewer = await runward.member(admin, 'viewer');
  ({ api } = operator);
});
afterEach(() => {
  remotes.login = null;
  remotes.instead = null;
});
afterAll(async () => {
  await runward.close();
  await remotes.close();
  for (const folder of [dataDir, otherDir]) await rm(folder, { recursive: true, force: true });
});

interface ProblemBody {
  code: string;
  detail: string;
  errors?: { path: string; code: string }[];
  referrers?: { type: string; name: string }[];
}
const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { code?: string }).code];
const newRepository = async () => {
  numbered += 1;
  const repository = await remotes.repository(`api-${numbered}.git`);
  return { ...repository, url: `${remotes.url}/api-${numbered}.git`, name: `source-${numbered}` };
};
const get = async (id: string) => (await api.get<GitSourceView>(`${ROUTE}/${id}`)).body;
const waitUntilSynced = (id: string) =>
  eventually(`the sync of ${id}`, async () => {
    const source = await get(id);
    return source.syncRequestedAt === null && !source.syncing && source;
  });
async function create(body: object): Promise<GitSourceView> {
  const answer = await api.post<GitSourceView>(ROUTE, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return waitUntilSynced(answer.body.id);
}
async function sync(id: string): Promise<GitSourceView> {
  expect((await api.post(`${ROUTE}/${id}/sync`)).status).toBe(202);
  return waitUntilSynced(id);
}

describe('git sources', () => {
  it('syncs a new source and shows its content also from a machine without a mirror', async () => {
    const { commit, url, name } = await newRepository();
    const first = await commit(
      { 'deploy/a.sh': 'echo a\n', 'deploy/b.bin': Buffer.from([0, 1, 255]), readme: 'hi' },
      { message: 'First\n\nbody' },
    );
    const second = await commit({ readme: 'ho' }, { message: 'Second' });
    const source = await create({ name, url });
    expect(source).toMatchObject({
      state: 'ready',
      commit: second,
      headBranch: 'main',
      files: 3,
      reason: null,
      credential: null,
    });
    const tree = await viewer.api.get<GitTreeView>(`${ROUTE}/${source.id}/tree`);
    expect(tree.body.items.map(({ path: at, type }) => [at, type])).toEqual([
      ['deploy', 'folder'],
      ['readme', 'file'],
    ]);
    const inner = await api.get<GitTreeView>(`${ROUTE}/${source.id}/tree?path=deploy&limit=1`);
    expect(inner.body.items).toEqual([{ name: 'a.sh', path: 'deploy/a.sh', type: 'file', size: 7 }]);
    const rest = await api.get<GitTreeView>(`${ROUTE}/${source.id}/tree?path=deploy&cursor=${inner.body.nextCursor}`);
    expect([rest.body.items.map(({ name: at }) => at), rest.body.nextCursor]).toEqual([['b.bin'], null]);
    const file = await viewer.api.get<GitFileView>(`${ROUTE}/${source.id}/file?path=deploy/a.sh`);
    expect(file.body).toEqual({
      ...{ commit: second, path: 'deploy/a.sh', size: 7, executable: false, encoding: 'utf-8', content: 'echo a\n' },
      sha256: createHash('sha256').update('echo a\n').digest('hex'),
    });
    const old = await api.get<GitFileView>(`${ROUTE}/${source.id}/file?path=readme&ref=${first}`);
    expect(old.body).toMatchObject({ commit: first, content: 'hi' });
    const binary = await api.get<GitFileView>(`${ROUTE}/${source.id}/file?path=deploy/b.bin`);
    expect(binary.body).toMatchObject({ encoding: 'base64', content: 'AAH/' });
    const commits = await api.get<GitCommitListView>(`${ROUTE}/${source.id}/commits?limit=1`);
    expect(commits.body.items).toMatchObject([{ commit: second, subject: 'Second', authorEmail: 'ada@example.test' }]);
    const before = await api.get<GitCommitListView>(`${ROUTE}/${source.id}/commits?cursor=${commits.body.nextCursor}`);
    expect([before.body.items.map((each) => each.commit), before.body.nextCursor]).toEqual([[first], null]);
    const ofPath = await api.get<GitCommitListView>(`${ROUTE}/${source.id}/commits?path=deploy/a.sh`);
    expect(ofPath.body.items.map((each) => each.commit)).toEqual([first]);
    expect(await readdir(path.join(dataDir, 'git', 'mirrors', admin.tenantId))).not.toEqual([]);
    expect(await readdir(path.join(otherDir, 'git', 'mirrors', admin.tenantId))).not.toEqual([]);
  });

  it("keeps the last commit while the remote is unreachable and shows git's error", async () => {
    const { commit, url, name } = await newRepository();
    const first = await commit({ a: 'one' });
    const { id } = await create({ name, url });
    await remotes.stop();
    const away = await sync(id);
    expect(away).toMatchObject({
      state: 'failed',
      commit: first,
      reason: { code: 'unreachable', text: expect.stringContaining('fatal: unable to access') },
    });
    await remotes.start();
    const second = await commit({ a: 'two' });
    expect(await sync(id)).toMatchObject({ state: 'ready', commit: second, reason: null });
    const { body } = await admin.api.get<{ items: { action: string; after: { state?: string } }[] }>(
      `/api/audit-logs?resourceId=${id}&limit=200`,
    );
    expect(body.items.filter(({ action }) => action === 'git_source.sync').map(({ after }) => after.state)).toEqual([
      'ready',
      'failed',
      'ready',
    ]);
    await sync(id);
    const again = await admin.api.get<{ items: { action: string }[] }>(`/api/audit-logs?resourceId=${id}&limit=200`);
    expect(again.body.items.filter(({ action }) => action === 'git_source.sync')).toHaveLength(3);
  });

  it('signs in with a token that the API never returns, and drops it when the server changes', async () => {
    const { commit, url, name } = await newRepository();
    await commit({ a: 'one' });
    remotes.login = `x-access-token:${TOKEN}`;
    const { id } = await create({ name, url });
    expect(await get(id)).toMatchObject({ state: 'failed', reason: { code: 'login_refused' } });
    const changed = await api.patch<GitSourceView>(`${ROUTE}/${id}`, { credential: { token: TOKEN } });
    expect(changed.body.credential).toEqual({ sshKeyId: null, sshKeyName: null, user: 'x-access-token' });
    expect(await waitUntilSynced(id)).toMatchObject({ state: 'ready' });
    const audit = await admin.api.get(`/api/audit-logs?resourceId=${id}&limit=200`);
    expect(changed.text + audit.text).not.toContain(TOKEN);
    // Another path on the same server keeps the token.
    const other = await newRepository();
    await other.commit({ a: 'x' });
    await api.patch(`${ROUTE}/${id}`, { url: other.url });
    expect(await waitUntilSynced(id)).toMatchObject({ state: 'ready', credential: { user: 'x-access-token' } });
    const moved = await api.patch<GitSourceView>(`${ROUTE}/${id}`, {
      url: other.url.replace('localhost', 'other.example.test'),
    });
    expect(moved.body).toMatchObject({ credential: null, commit: null, state: 'new' });
    expect(await waitUntilSynced(id)).toMatchObject({
      state: 'failed',
      reason: { code: 'host_not_found' },
      commit: null,
    });
  });

  it('follows the configured branch, and lists the branches if it does not exist', async () => {
    const { commit, git, url, name } = await newRepository();
    const first = await commit({ a: 'one' });
    await git(['update-ref', 'refs/heads/release/1', first]);
    await git(['tag', 'v1', first]);
    const second = await commit({ a: 'two' });
    const { id, commit: at } = await create({ name, url, branch: 'release/1' });
    expect(at).toBe(first);
    const read = async (ref: string) =>
      (await api.get<GitFileView>(`${ROUTE}/${id}/file?path=a&ref=${encodeURIComponent(ref)}`)).body;
    expect(await read('main')).toMatchObject({ commit: second, content: 'two' });
    expect(await read('v1')).toMatchObject({ commit: first });
    expect(await read('refs/tags/v1')).toMatchObject({ commit: first });
    expect((await api.patch(`${ROUTE}/${id}`, { branch: 'none' })).status).toBe(200);
    expect(await waitUntilSynced(id)).toMatchObject({
      state: 'failed',
      reason: { code: 'branch_missing', text: 'The remote has no branch "none". It has main, release/1.' },
    });
    await api.patch(`${ROUTE}/${id}`, { branch: null });
    expect(await waitUntilSynced(id)).toMatchObject({ state: 'ready', commit: second });
    expect(codeOf(await api.get(`${ROUTE}/${id}/file?path=a&ref=none`))).toEqual([409, 'git_ref_missing']);
    expect(codeOf(await api.get(`${ROUTE}/${id}/file?path=b`))).toEqual([409, 'git_path_missing']);
    expect(codeOf(await api.get(`${ROUTE}/${id}/file?path=a&ref=${'0'.repeat(40)}`))).toEqual([
      409,
      'git_source_unavailable',
    ]);
    for (const query of [
      'path=../a',
      'path=/a',
      'path=a//b',
      'path=a&ref=-x',
      'path=a&ref=x..y',
      'path=a%0Ab',
      'path=a&ref=%20',
    ])
      expect(codeOf(await api.get(`${ROUTE}/${id}/file?${query}`))).toEqual([400, 'invalid_request']);
  });

  it('syncs periodically', async () => {
    const { commit, url, name } = await newRepository();
    const first = await commit({ a: 'one' });
    const { id, nextSyncAt } = await create({ name, url, syncEverySeconds: 60 });
    expect(Date.parse(nextSyncAt ?? '') - Date.now()).toBeGreaterThan(30_000);
    const second = await commit({ a: 'two' });
    // Simulates that the sync interval has passed.
    await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
    await runward.database.query(`update git_sources set due_at = now() where id = $1`, [id]);
    await runward.database.query(
      `update pgboss.job set start_after = now() where name = 'sync-git-source' and state < 'active'`,
    );
    const source = await eventually('the next sync', async () => (await get(id)).commit !== first && (await get(id)));
    expect(source).toMatchObject({ commit: second, state: 'ready' });
    await api.patch(`${ROUTE}/${id}`, { syncEverySeconds: null });
    expect((await get(id)).nextSyncAt).toBeNull();
  });

  it('lets one worker at a time sync, and syncs again after requests during a sync', async () => {
    const { commit, url, name } = await newRepository();
    await commit({ a: 'one' });
    const { id } = await create({ name, url });
    await runward.worker({ dataDir });
    const latest = await commit({ a: 'two' });
    await Promise.all(Array.from({ length: 10 }, () => api.post(`${ROUTE}/${id}/sync`)));
    expect(await waitUntilSynced(id)).toMatchObject({ state: 'ready', commit: latest });
  });

  it('can be created and changed by operators, and prevents the deletion of its SSH key', async () => {
    const { body: key } = await api.post<{ id: string }>('/api/ssh-keys', {
      name: 'deploy key',
      generate: { type: 'ed25519' },
    });
    const body = { name: 'by ssh', url: 'git@127.0.0.1:x.git', credential: { sshKeyId: key.id } };
    expect((await viewer.api.post(ROUTE, body)).status).toBe(403);
    const { body: made } = await api.post<GitSourceView>(ROUTE, body);
    expect(made.credential).toEqual({ sshKeyId: key.id, sshKeyName: 'deploy key', user: null });
    const refused = await api.delete<ProblemBody>(`/api/ssh-keys/${key.id}`);
    expect([...codeOf(refused), refused.body.referrers]).toEqual([
      409,
      'in_use',
      [expect.objectContaining({ type: 'git_source', name: 'by ssh' })],
    ]);
    expect(codeOf(await api.post(ROUTE, { ...body, name: 'BY SSH' }))).toEqual([409, 'duplicate_name']);
    expect((await api.delete(`${ROUTE}/${made.id}`)).status).toBe(204);
    expect((await api.delete(`/api/ssh-keys/${key.id}`)).status).toBe(204);
  });

  it('rejects fields that do not fit the address', async () => {
    const faults = async (more: object) => {
      const { status, body } = await api.post<ProblemBody>(ROUTE, {
        name: 'refused',
        url: 'https://git.example.test/x.git',
        ...more,
      });
      return [status, ...(body.errors ?? []).map(({ path: at, code }) => `${at} ${code}`)];
    };
    expect(await faults({ url: 'file:///etc/passwd' })).toEqual([400, '/url invalid_git_url']);
    expect(await faults({ branch: '--upload-pack=x' })).toEqual([400, '/branch invalid_ref']);
    expect(await faults({ credential: {} })).toEqual([400, '/credential required']);
    expect(await faults({ credential: { sshKeyId: 'x', token: TOKEN } })).toEqual([
      400,
      '/credential conflicting_fields',
      '/credential/sshKeyId not_applicable',
    ]);
    expect(await faults({ hostKey: { fingerprint: `SHA256:${'A'.repeat(43)}` } })).toEqual([
      400,
      '/hostKey not_applicable',
    ]);
    expect(await faults({ url: 'git@git.example.test:x', credential: { token: TOKEN } })).toEqual([
      400,
      '/credential/token not_applicable',
    ]);
    expect(await faults({ url: 'git@git.example.test:x', credential: { sshKeyId: 'x' } })).toEqual([
      404,
      '/credential/sshKeyId not_found',
    ]);
  });
});

describe('webhook of a git source', () => {
  const signed = (body: string, secret = SECRET) => ({
    'x-github-event': 'push',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  });
  const call = (id: string, body: string, headers: Record<string, string>) =>
    runward.anonymous.raw<{ code?: string; syncs?: boolean }>('POST', `${ROUTE}/${id}/webhook`, body, {
      'content-type': 'application/json',
      ...headers,
    });

  it('starts one sync for a signed call', async () => {
    const { commit, url, name } = await newRepository();
    const first = await commit({ a: 'one' });
    const { id, webhook } = await create({ name, url, webhookSecret: SECRET });
    expect(webhook).toEqual({ path: `${ROUTE}/${id}/webhook`, configured: true });
    const second = await commit({ a: 'two' });
    const body = JSON.stringify({ before: first, after: second, commits: 'x'.repeat(100_000) });
    const answer = await call(id, body, signed(body));
    expect([answer.status, answer.body]).toEqual([202, { syncs: true }]);
    expect(await waitUntilSynced(id)).toMatchObject({ commit: second });
    expect(codeOf(await call(id, body, signed(body)))).toEqual([409, 'webhook_replayed']);
    const ping = '{"zen":"x"}';
    expect((await call(id, ping, { ...signed(ping), 'x-github-event': 'ping' })).body).toEqual({ syncs: false });
    expect((await api.get(`${ROUTE}/${id}`)).text).not.toContain(SECRET);
  });

  it('returns the same response for an unknown source, a source without a secret, and an invalid signature', async () => {
    const { url, name } = await newRepository();
    const { id } = await create({ name, url, webhookSecret: SECRET });
    const bare = await create({ name: `${name} bare`, url });
    const answers = await Promise.all([
      call('0191e3a4-0000-7000-8000-000000000009', '{}', signed('{}')),
      call('nonsense', '{}', signed('{}')),
      call(bare.id, '{}', signed('{}')),
      call(id, '{}', {}),
      call(id, '{}', signed('{}', 'another-secret-of-it')),
      call(id, '{"a":1}', signed('{}')),
      call(id, '{}', { ...signed('{}'), 'x-hub-signature-256': 'sha256=' }),
    ]);
    const responses = answers.map(({ status, text }) => [status, text.replace(/"requestId":"[^"]*"/, '')]);
    expect(new Set(responses.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(responses[0]?.[0]).toBe(401);
  });
});
