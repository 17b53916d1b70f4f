import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type GitRemotes, startGitRemotes } from '../../../test/support/git-remotes.js';
import { type Installation, startInstallation } from '../../../test/support/installation.js';
import { startWorkerProcess, type WorkerProcess } from '../../../test/support/worker-process.js';
import type { GitCommitListView, GitSourceView } from '../git-sources.view.js';

const run = promisify(execFile);
const ROUTE = '/api/git-sources';

let remotes: GitRemotes;
let runward: Installation;
let machine: string;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  remotes = await startGitRemotes();
  machine = await mkdtemp(path.join(os.tmpdir(), 'runward-git-death-'));
  runward = await startInstallation(settings());
});
afterAll(async () => {
  for (const worker of workers) await worker.end('SIGKILL');
  await runward.close();
  await remotes.close();
  await rm(machine, { recursive: true, force: true });
});

const settings = () => ({
  RUNWARD_DATA_DIR: machine,
  RUNWARD_GIT_CA_FILE: remotes.caFile,
  RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1',
});
/** Runs on the machine that has the mirror. */
async function startWorker(): Promise<WorkerProcess> {
  const worker = await startWorkerProcess(runward, settings());
  workers.push(worker);
  return worker;
}
const expireLease = (id: string) =>
  runward.database.query(`update git_sources set lease_until = now() - interval '1 second' where id = $1`, [id]);

async function mirrorsOf(tenantId: string): Promise<string[]> {
  const folders = (await readdir(machine, { recursive: true })).filter((name) => name.endsWith('.git'));
  return folders.filter((name) => name.includes(tenantId)).map((name) => path.join(machine, name));
}

describe('sync whose worker is killed during git fetch', () => {
  it.each([
    ['the remote answers the dead one later', true],
    ['the remote never answers the dead one', false],
  ])('is repeated once by the next worker and leaves a valid mirror: %s', async (_, answered) => {
    const admin = await runward.tenant();
    await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
    const name = `death-${String(answered)}.git`;
    const repository = await remotes.repository(name);
    const files = Object.fromEntries(Array.from({ length: 200 }, (_each, n) => [`f/${n}`, `content ${n}\n`]));
    await repository.commit(files);
    const created = await admin.api.post<GitSourceView>(ROUTE, { name, url: `${remotes.url}/${name}` });
    const { id } = created.body;
    const source = async () => (await admin.api.get<GitSourceView>(`${ROUTE}/${id}`)).body;
    const idle = (what: string) =>
      eventually(what, async () => {
        const found = await source();
        return !found.syncing && found.syncRequestedAt === null && found;
      });
    const first = await startWorker();
    expect(await idle('the first sync')).toMatchObject({ state: 'ready', files: 200 });

    const commit = await repository.commit({ 'f/new': 'new\n' });
    let release = () => undefined as void;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let held = 0;
    remotes.hold = (url) => {
      if (!url.endsWith('/git-upload-pack') || held > 0) return Promise.resolve();
      held += 1;
      return gate;
    };
    expect((await admin.api.post(`${ROUTE}/${id}/sync`)).status).toBe(202);
    await eventually('git fetches', () => held > 0);
    expect(await source()).toMatchObject({ syncing: true });
    await first.end('SIGKILL');
    await expireLease(id);
    if (answered) release();
    const second = await startWorker();
    expect(await idle('the second sync')).toMatchObject({ state: 'ready', commit, files: 201, reason: null });
    release();
    remotes.hold = null;

    const commits = await admin.api.get<GitCommitListView>(`${ROUTE}/${id}/commits`);
    expect(commits.body.items.map((each) => each.commit)[0]).toBe(commit);
    const mirrors = await mirrorsOf(admin.tenantId);
    expect(mirrors).toHaveLength(1);
    for (const mirror of mirrors) await run('git', [`--git-dir=${mirror}`, 'fsck', '--full', '--strict']);
    const entries = await admin.api.get<{ items: { action: string; resourceId: string }[] }>(
      '/api/audit-logs?action=git_source.sync',
    );
    expect(entries.body.items.filter((each) => each.resourceId === id)).toHaveLength(2);
    await second.end('SIGTERM');
  });
});
