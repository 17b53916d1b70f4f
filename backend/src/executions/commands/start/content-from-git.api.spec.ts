import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/support/eventually.js';
import { type GitRemotes, startGitRemotes, type TestRepository } from '../../../../test/support/git-remotes.js';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import type { GitSourceView } from '../../../git-sources/git-sources.view.js';
import type { PlanView } from '../../../plans/plans.view.js';
import type { ScriptInspectionView, ScriptView } from '../../../scripts/scripts.view.js';

let remotes: GitRemotes;
let lab: RunLab;
let dataDir: string;
let repository: TestRepository;
let source: GitSourceView;

beforeAll(async () => {
  remotes = await startGitRemotes();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'runward-content-'));
  lab = await startRunLab({
    settings: {
      RUNWARD_DATA_DIR: dataDir,
      RUNWARD_GIT_CA_FILE: remotes.caFile,
      RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8,::1',
    },
  });
  await lab.runward.worker();
  repository = await remotes.repository('content.git');
  await repository.commit({
    'deploy.sh': `echo "first $1" >> ${lab.evidence}/deployed\n`,
    'site.conf': 'listen {{ port }};\n',
    'broken.conf': 'listen {{ port ;\n',
    'binary.bin': Buffer.from([0, 255, 1]),
    'large.txt': 'x'.repeat(262_145),
  });
  const made = await lab.api.post<GitSourceView>('/api/git-sources', {
    name: 'plans',
    url: `${remotes.url}/content.git`,
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
async function sync(): Promise<GitSourceView> {
  await lab.api.post(`/api/git-sources/${source.id}/sync`);
  return waitUntilSynced(source.id);
}
interface ProblemBody {
  code: string;
  detail: string;
  referrers?: { type: string; name: string }[];
}
const from = (at: string, ref?: string) => ({
  gitSourceId: source.id,
  path: at,
  ...(ref === undefined ? {} : { ref }),
});
async function make(kind: 'scripts' | 'templates', name: string, at: string, ref?: string): Promise<ScriptView> {
  const answer = await lab.api.post<ScriptView>(`/api/${kind}`, { name, source: from(at, ref) });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
async function refusal(planId: string): Promise<[number, string, string]> {
  const before = (await lab.api.get<{ items: unknown[] }>(`/api/executions?planId=${planId}`)).body.items.length;
  const { status, body } = await lab.tryStart(planId);
  const after = (await lab.api.get<{ items: unknown[] }>(`/api/executions?planId=${planId}`)).body.items.length;
  expect(after).toBe(before);
  const { code, detail } = body as unknown as ProblemBody;
  return [status, code, detail];
}

describe('a script of a git source', () => {
  it('runs at the commit of its start, which the run freezes and reports', async () => {
    const script = await make('scripts', 'deploy', 'deploy.sh');
    expect(script).toMatchObject({ content: '', bytes: 0, source: { ...from('deploy.sh'), ref: null } });
    const planId = await lab.plan([{ key: 'go', type: 'script', scriptId: script.id, arguments: ['now'] }]);
    const first = await lab.settled((await lab.start(planId)).id);
    expect(first.status).toBe('SUCCEEDED');
    expect(await lab.left('deployed')).toBe('first now\n');
    expect(first.gitContent).toEqual([
      {
        usedAs: 'script deploy',
        ...{ gitSourceId: source.id, sourceName: 'plans', path: 'deploy.sh', ref: null, commit: source.commit },
        sha256: sha256(`echo "first $1" >> ${lab.evidence}/deployed\n`),
      },
    ]);
    const before = source.commit;
    await repository.commit({ 'deploy.sh': `echo "second $1" >> ${lab.evidence}/deployed\n` });
    // The source has not synced again, so the run uses the commit that the database records as current.
    expect((await lab.settled((await lab.start(planId)).id)).digest).toBe(first.digest);
    source = await sync();
    const later = await lab.settled((await lab.start(planId)).id);
    expect(later.digest).not.toBe(first.digest);
    expect(later.gitContent[0]?.commit).toBe(source.commit);
    expect(await lab.left('deployed')).toBe('first now\nfirst now\nsecond now\n');
    const expected = await lab.tryStart(planId, { expectedDigest: first.digest });
    expect([expected.status, JSON.stringify(expected.body)]).toEqual([
      409,
      expect.stringContaining(`commit ${before}`),
    ]);
    const { body: again } = await lab.api.post<{ id: string; digest: string }>(`/api/executions/${first.id}/rerun`, {
      hosts: 'all',
      snapshot: 'same',
    });
    expect(again.digest).toBe(first.digest);
    await lab.settled(again.id);
    expect(await lab.left('deployed')).toMatch(/first now\n$/);
  });

  it('runs by its first line, executable or not, and explains a failure by Windows line ends', async () => {
    await repository.commit({
      'bash.sh': '#!/usr/bin/env -S bash -e\n[[ "$1" == primary ]]; false\necho on\n',
      'windows.sh': '#!/bin/sh\r\nif true; then\r\n  echo hi\r\nfi\r\n',
    });
    const tree = await repository.git(['ls-tree', 'main', 'bash.sh']);
    const object = /blob (\S+)/.exec(tree)?.[1] ?? '';
    await repository.git(['read-tree', 'main']);
    await repository.git(['update-index', '--cacheinfo', `100755,${object},bash.sh`]);
    const written = await repository.git(['write-tree']);
    const commit = await repository.git(['commit-tree', '-m', 'mode', '-p', 'main', written]);
    await repository.git(['update-ref', 'refs/heads/main', commit]);
    source = await sync();
    const bash = await make('scripts', 'bash', 'bash.sh');
    const windows = await make('scripts', 'windows', 'windows.sh');
    expect([bash.program, bash.warnings]).toEqual([null, []]);
    const inspected = async (id: string, query = '') =>
      (await lab.api.get<ScriptInspectionView>(`/api/scripts/${id}/program${query}`)).body;
    expect(await inspected(bash.id)).toEqual({
      program: { words: ['/usr/bin/env', 'bash', '-e'], source: 'first_line' },
      warnings: [],
      commit: source.commit,
    });
    expect((await inspected(windows.id)).warnings.map(({ reason }) => reason.code)).toEqual(['windows_line_ends']);
    expect((await inspected(bash.id, '?interpreter=dash')).warnings).toMatchObject([
      { reason: { code: 'interpreter_contradiction' } },
    ]);
    const overridden = { key: 'bash', type: 'script', scriptId: bash.id, interpreter: 'dash' };
    const { body: plan } = await lab.api.post<PlanView>('/api/plans', { name: 'overridden', steps: [overridden] });
    expect(plan.warnings).toMatchObject([
      { path: '/steps/0/interpreter', reason: { code: 'interpreter_contradiction' } },
    ]);
    const run = await lab.run([
      { key: 'bash', type: 'script', scriptId: bash.id, arguments: ['primary'], okExitCodes: [1] },
      { key: 'windows', type: 'script', scriptId: windows.id },
    ]);
    expect(run.steps[0]?.command).toBe('/usr/bin/env bash -e bash primary');
    const [first, second] = await lab.results(run.id);
    expect(first?.status).toBe('SUCCEEDED');
    expect(second?.reason?.text).toContain('Windows line ends (CRLF) in 4 lines');
  });

  it('runs at a named commit while the branch advances', async () => {
    const script = await make('scripts', 'pinned', 'deploy.sh', source.commit ?? '');
    await repository.commit({ 'deploy.sh': 'exit 1\n' });
    source = await sync();
    const run = await lab.run([{ key: 'go', type: 'script', scriptId: script.id }]);
    expect(run.status).toBe('SUCCEEDED');
    expect(run.gitContent[0]?.commit).not.toBe(source.commit);
  });

  it('gets a new revision with a new source, and loses its source when it gets inline content', async () => {
    const { id } = await make('scripts', 'moved', 'deploy.sh');
    const change = async (body: object) => (await lab.api.patch<ScriptView>(`/api/scripts/${id}`, body)).body;
    expect(await change({ source: from('deploy.sh') })).toMatchObject({ revision: 1 });
    expect(await change({ source: from('other.sh', 'main') })).toMatchObject({
      revision: 2,
      source: from('other.sh', 'main'),
    });
    expect(await change({ content: 'true' })).toMatchObject({ revision: 3, source: null, content: 'true' });
    expect(await change({ interpreter: 'python3' })).toMatchObject({ revision: 4, source: null, content: 'true' });
  });

  it('is rejected with an invalid source', async () => {
    const faults = async (body: object) => {
      const answer = await lab.api.post<{ errors?: { path: string; code: string }[] }>('/api/scripts', {
        name: 'x',
        ...body,
      });
      return [answer.status, ...(answer.body.errors ?? []).map(({ path: at, code }) => `${at} ${code}`)];
    };
    expect(await faults({})).toEqual([400, '/content required']);
    expect(await faults({ content: 'x', source: from('a') })).toEqual([400, '/source conflicting_fields']);
    expect(await faults({ source: from('../a') })).toEqual([400, '/source/path invalid_path']);
    expect(await faults({ source: from('a', '-x') })).toEqual([400, '/source/ref invalid_ref']);
    expect(await faults({ source: { gitSourceId: 'x', path: 'a' } })).toEqual([404, '/source/gitSourceId not_found']);
    const other = await lab.runward.tenant();
    const foreign = await other.api.post('/api/scripts', { name: 'x', source: from('a') });
    expect(foreign.status).toBe(404);
  });
});

describe('a template of a git source', () => {
  it('is previewed and written with its content at the commit', async () => {
    const template = await make('templates', 'site', 'site.conf');
    const preview = await lab.api.post<{ content: string }>(`/api/templates/${template.id}/render`, {
      environmentId: lab.environmentId,
      variables: { port: 8080 },
    });
    expect(preview.body.content).toBe('listen 8080;\n');
    const at = `${lab.evidence}/site.conf`;
    const run = await lab.run([{ key: 'go', type: 'template', templateId: template.id, path: at }], {
      variables: [{ name: 'port', type: 'integer', required: false, default: 81 }] as never,
    });
    expect([run.status, await lab.left('site.conf')]).toEqual(['SUCCEEDED', 'listen 81;\n']);
    expect(run.gitContent).toMatchObject([{ usedAs: 'template site', path: 'site.conf' }]);
  });
});

describe('a start with content of a git source', () => {
  const planOf = async (at: string, ref?: string) => {
    const { id } = await make('scripts', `script of ${at} ${ref ?? ''}`, at, ref);
    return lab.plan([{ key: 'go', type: 'script', scriptId: id }]);
  };

  it('is refused before anything runs when the content is missing or invalid', async () => {
    expect(await refusal(await planOf('none.sh'))).toEqual([
      409,
      'git_path_missing',
      expect.stringContaining('"plans" has nothing at none.sh'),
    ]);
    expect(await refusal(await planOf('deploy.sh', 'none'))).toEqual([
      409,
      'git_ref_missing',
      expect.stringContaining('"none"'),
    ]);
    expect((await refusal(await planOf('binary.bin')))[1]).toBe('git_not_text');
    expect((await refusal(await planOf('large.txt')))[1]).toBe('git_file_too_large');
    const { id } = await make('templates', 'broken', 'broken.conf');
    const plan = await lab.plan([{ key: 'go', type: 'template', templateId: id, path: `${lab.evidence}/x` }]);
    expect((await refusal(plan)).slice(0, 2)).toEqual([400, 'invalid_request']);
  });

  it('is refused with name and size of a file that the repository stores elsewhere', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5242880\n`;
    await repository.commit({ 'lfs.bin': pointer, 'secret.conf': Buffer.from('\0GITCRYPT\0abc') });
    source = await sync();
    const expected = [
      409,
      'git_content_missing',
      expect.stringContaining('lfs.bin of "plans" is a Git LFS pointer: its content (5242880 bytes)'),
    ];
    expect(await refusal(await planOf('lfs.bin'))).toEqual(expected);
    const { id } = await make('templates', 'pointer', 'lfs.bin');
    const at = `${lab.evidence}/lfs.bin`;
    expect(await refusal(await lab.plan([{ key: 'go', type: 'template', templateId: id, path: at }]))).toEqual(
      expected,
    );
    const file = { key: 'go', type: 'file', gitSourceId: source.id, path: at };
    expect(await refusal(await lab.plan([{ ...file, sourcePath: 'lfs.bin' } as never]))).toEqual(expected);
    const [, code, detail] = await refusal(await lab.plan([{ ...file, sourcePath: 'secret.conf' } as never]));
    expect([code, detail]).toEqual(['git_content_missing', expect.stringContaining('is encrypted by git-crypt')]);
    const shown = await lab.api.get<ProblemBody>(`/api/git-sources/${source.id}/file?path=lfs.bin`);
    expect([shown.status, shown.body.code, shown.body.detail]).toEqual([
      409,
      'git_content_missing',
      expect.stringContaining('5242880 bytes'),
    ]);
    const pastedScript = await lab.api.post<{ errors: { path: string; code: string }[] }>('/api/scripts', {
      name: 'pasted',
      content: pointer,
    });
    expect(pastedScript.body.errors).toMatchObject([{ path: '/content', code: 'content_missing' }]);
  });

  it('is refused when the source was never synced, or when its remote is down and the commit is not cached', async () => {
    const { body: unsynced } = await lab.api.post<GitSourceView>('/api/git-sources', {
      name: 'away',
      url: `${remotes.url}/none.git`,
    });
    await waitUntilSynced(unsynced.id);
    const { body: script } = await lab.api.post<ScriptView>('/api/scripts', {
      name: 'of away',
      source: { gitSourceId: unsynced.id, path: 'a' },
    });
    const planWithoutCommit = await lab.plan([{ key: 'go', type: 'script', scriptId: script.id }]);
    expect((await refusal(planWithoutCommit)).slice(0, 2)).toEqual([409, 'git_not_synced']);
    const known = await planOf('site.conf');
    await rm(path.join(dataDir, 'git'), { recursive: true, force: true });
    await remotes.stop();
    expect(await refusal(known)).toEqual([409, 'git_source_unavailable', expect.stringContaining('unable to access')]);
    await remotes.start();
    expect((await lab.settled((await lab.start(known)).id)).gitContent).toHaveLength(1);
  });

  it('prevents deletion of the source while the latest revision uses it', async () => {
    const { body: own } = await lab.api.post<GitSourceView>('/api/git-sources', {
      name: 'kept',
      url: `${remotes.url}/content.git`,
    });
    const { body: script } = await lab.api.post<ScriptView>('/api/scripts', {
      name: 'keeps',
      source: { gitSourceId: own.id, path: 'a' },
    });
    const refused = await lab.api.delete<ProblemBody>(`/api/git-sources/${own.id}`);
    expect([refused.status, refused.body.code, refused.body.referrers]).toEqual([
      409,
      'in_use',
      [{ type: 'script', id: script.id, name: 'keeps' }],
    ]);
    await lab.api.patch(`/api/scripts/${script.id}`, { content: 'true' });
    expect((await lab.api.delete(`/api/git-sources/${own.id}`)).status).toBe(204);
    const old = await lab.api.get<ScriptView>(`/api/scripts/${script.id}/revisions/1`);
    expect(old.body.source).toMatchObject({ gitSourceId: own.id });
  });
});
