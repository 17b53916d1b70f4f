import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type GitRemotes, startGitRemotes, type TestRepository } from '../../../test/support/git-remotes.js';
import { type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { GitSourceView } from '../../git-sources/git-sources.view.js';

/** All byte values, then sequences that shells and terminals might change. */
const BINARY = Buffer.concat([Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), Buffer.from('\n\n\r\n')]);
const UNUSUAL_TEXT = `'quoted' "double" $HOME \`id\` \\ %s \\n é 😀\n{{ not_a_template }}\n\nno end`;

let remotes: GitRemotes;
let lab: RunLab;
let dataDir: string;
let repository: TestRepository;
let source: GitSourceView;

beforeAll(async () => {
  remotes = await startGitRemotes();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-files-'));
  const settings = {
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_GIT_CA_FILE: remotes.caFile,
    RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1',
  };
  lab = await startRunLab({ settings });
  await lab.runward.worker();
  repository = await remotes.repository('files.git');
  await repository.commit({ 'conf/app.conf': 'one\ntwo\nthree\n', 'bin/all': BINARY, odd: UNUSUAL_TEXT, empty: '' });
  const made = await lab.api.post<GitSourceView>('/api/git-sources', {
    name: 'files',
    url: `${remotes.url}/files.git`,
  });
  source = await waitUntilSynced(made.body.id);
});
afterAll(async () => {
  await lab.close();
  await remotes.close();
  await rm(dataDir, { recursive: true, force: true });
});

const waitUntilSynced = (id: string) =>
  eventually('a sync', async () => {
    const { body } = await lab.api.get<GitSourceView>(`/api/git-sources/${id}`);
    return body.syncRequestedAt === null && !body.syncing && body;
  });
const on = (file: string) => path.join(lab.evidence, file);
const put = (sourcePath: string, file: string, more: LabStep = {}): LabStep => ({
  ...{ key: 'put', type: 'file', gitSourceId: source.id, sourcePath, path: on(file) },
  ...more,
});
const changed = async (id: string) => (await lab.results(id)).map((result) => result.changed);

describe('a step that puts a file of a git source on hosts', () => {
  it.each([
    ['a text', 'conf/app.conf', Buffer.from('one\ntwo\nthree\n')],
    ['every byte', 'bin/all', BINARY],
    ['what shells might change', 'odd', Buffer.from(UNUSUAL_TEXT)],
    ['nothing', 'empty', Buffer.alloc(0)],
  ])('writes %s exactly, and changes nothing if the content is already present', async (_, from, bytes) => {
    const file = `exact-${from.replace('/', '-')}`;
    const planId = await lab.plan([put(from, file)]);
    const first = await lab.settled((await lab.start(planId)).id);
    expect(first.status).toBe('SUCCEEDED');
    expect(await readFile(on(file))).toEqual(bytes);
    expect(await changed(first.id)).toEqual([true]);
    const { ino } = await stat(on(file));
    const again = await lab.settled((await lab.start(planId)).id);
    expect([again.status, await changed(again.id), (await stat(on(file))).ino]).toEqual(['SUCCEEDED', [false], ino]);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(again.gitContent).toMatchObject([{ usedAs: 'file', path: from, commit: source.commit, sha256 }]);
  });

  it('sets the mode, keeps a backup, and reports a change if only the mode differs', async () => {
    const first = await lab.run([put('conf/app.conf', 'moded', { mode: '0600' })]);
    expect([await changed(first.id), (await stat(on('moded'))).mode & 0o777]).toEqual([[true], 0o600]);
    const second = await lab.run([put('conf/app.conf', 'moded', { mode: '0644' })]);
    expect([await changed(second.id), (await stat(on('moded'))).mode & 0o777]).toEqual([[true], 0o644]);
    const third = await lab.run([put('bin/all', 'moded', { backup: true })]);
    expect(await changed(third.id)).toEqual([true]);
    const kept = (await readdir(lab.evidence)).filter((name) => /^moded\.\d{8}T\d{6}Z\.bak$/.test(name));
    expect(kept).toHaveLength(1);
    expect(await lab.left(kept[0] ?? '')).toBe('one\ntwo\nthree\n');
    expect((await readdir(lab.evidence)).filter((name) => name.startsWith('.runward'))).toEqual([]);
  });

  it('triggers a handler only on hosts where it changed the file', async () => {
    const steps = [
      put('conf/app.conf', 'handled'),
      { key: 'after', command: `echo x >> ${on('woken')}`, onlyIfChanged: ['put'] },
    ];
    const planId = await lab.plan(steps);
    for (let time = 0; time < 2; time += 1) await lab.settled((await lab.start(planId)).id);
    expect(await lab.left('woken')).toBe('x\n');
  });

  it('is forecast by a dry run, which writes nothing', async () => {
    const dry = async (step: LabStep) => {
      const run = await lab.run([step], { start: { execution_mode: 'dry_run' } });
      return (await lab.results(run.id)).map(({ verdict, diff }) => ({ verdict, diff }))[0];
    };
    const absent = await dry(put('conf/app.conf', 'foreseen'));
    expect(absent).toEqual({ verdict: 'WOULD_CHANGE', diff: expect.stringContaining('+two') });
    expect(await readdir(lab.evidence)).not.toContain('foreseen');
    await lab.run([`printf 'one\\nother\\nthree\\n' > ${on('foreseen')}`]);
    expect((await dry(put('conf/app.conf', 'foreseen')))?.diff).toMatch(/-other\n\+two/);
    const binary = await dry(put('bin/all', 'foreseen'));
    expect(binary).toEqual({
      verdict: 'WOULD_CHANGE',
      diff: expect.stringContaining(`${BINARY.length} bytes (SHA-256 `),
    });
    await lab.run([put('conf/app.conf', 'foreseen')]);
    expect(await dry(put('conf/app.conf', 'foreseen'))).toEqual({ verdict: 'NO_CHANGE', diff: null });
    expect((await dry(put('conf/app.conf', 'foreseen', { mode: '0611' })))?.verdict).toBe('WOULD_CHANGE');
  });

  it('writes the frozen content, and the new content after a sync', async () => {
    const planId = await lab.plan([put('conf/app.conf', 'frozen')]);
    const first = await lab.settled((await lab.start(planId)).id);
    await repository.commit({ 'conf/app.conf': 'changed\n' });
    await lab.api.post(`/api/git-sources/${source.id}/sync`);
    source = await waitUntilSynced(source.id);
    const { body: same } = await lab.api.post<{ id: string }>(`/api/executions/${first.id}/rerun`, {
      hosts: 'all',
      snapshot: 'same',
    });
    await lab.settled(same.id);
    expect(await lab.left('frozen')).toBe('one\ntwo\nthree\n');
    const later = await lab.settled((await lab.start(planId)).id);
    expect([await lab.left('frozen'), later.gitContent[0]?.commit]).toEqual(['changed\n', source.commit]);
    expect(later.digest).not.toBe(first.digest);
    const review = await lab.api.get(`/api/executions/${later.id}/review`);
    expect(review.text).toContain(source.commit);
  });

  it('is refused before anything runs if its source or path does not exist', async () => {
    const missing = await lab.tryStart(await lab.plan([put('none', 'x')]));
    expect([missing.status, (missing.body as unknown as { code: string }).code]).toEqual([409, 'git_path_missing']);
    const faults = async (step: LabStep) => {
      const answer = await lab.api.post<{ errors?: { path: string; code: string }[] }>('/api/plans', {
        name: 'x',
        steps: [step],
      });
      return [answer.status, ...(answer.body.errors ?? []).map(({ path: at, code }) => `${at} ${code}`)];
    };
    expect(await faults(put('../x', 'x'))).toEqual([400, '/steps/0/sourcePath invalid_path']);
    expect(await faults(put('', 'x'))).toEqual([400, '/steps/0/sourcePath required']);
    expect(await faults(put('x', 'x', { ref: '--x' }))).toEqual([400, '/steps/0/ref invalid_ref']);
    expect(await faults(put('x', 'x', { path: 'relative' }))).toEqual([400, '/steps/0/path invalid_path']);
    expect(await faults(put('x', 'x', { gitSourceId: 'x' }))).toEqual([404, '/steps/0/gitSourceId not_found']);
    expect(await faults(put('x', 'x', { validate: 'true %s' }))).toEqual([
      400,
      '/steps/0/validate field_of_other_type',
    ]);
    const refused = await lab.api.delete<{ code: string; referrers: { type: string }[] }>(
      `/api/git-sources/${source.id}`,
    );
    expect([refused.status, refused.body.code]).toEqual([409, 'in_use']);
    expect(new Set(refused.body.referrers.map(({ type }) => type))).toEqual(new Set(['plan']));
  });
});
