import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeScene } from '../../../test/support/environment-scene.js';
import type { Answer } from '../../../test/support/api-client.js';
import { type FolderLab, idOf, startFolderLab } from '../../../test/support/folder-lab.js';
import type { TestMember } from '../../../test/support/installation.js';
import type { ExecutionView } from '../../executions/contract/execution.view.js';
import type { GitCommitListView, GitSourceView, GitTreeView } from '../../git-sources/git-sources.view.js';

const ROUTE = '/api/git-sources';

let lab: FolderLab;
let admin: TestMember;
let viewer: TestMember;

beforeAll(async () => {
  lab = await startFolderLab();
  ({ admin, viewer } = lab);
});
afterAll(() => lab.close());

const bound = (name: string, environment: string, command = 'uptime') =>
  `name: ${name}\nenvironment: ${environment}\nsteps:\n  - key: run\n    command: ${command}\n`;
const names = (list: readonly { name: string }[] = []) => list.map(({ name }) => name);
const restricted = (name: string) => idOf(admin.api.post('/api/environments', { name, access: 'restricted' }));
const grant = (environmentId: string, { userId }: TestMember, level: string | null) => {
  const at = `/api/environments/${environmentId}/grants/${userId}`;
  return level === null ? admin.api.delete(at) : admin.api.put(at, { level });
};

describe('files of a folder', () => {
  it('are saved with the current rights of the member who set up the folder', async () => {
    const environmentId = await restricted('vault');
    const sourceOwner = await lab.runward.member(admin, 'operator');
    const { push, sync, syncs } = await lab.source(sourceOwner, { 'plans/a.yaml': bound('guarded', 'vault') });
    const [unseen] = await syncs();
    expect(unseen).toMatchObject({
      created: [],
      invalid: [{ path: 'plans/a.yaml', line: 2, reason: { code: 'not_found' } }],
    });
    expect(unseen?.invalid[0]?.reason.text).toContain('who set this folder up');

    await grant(environmentId, sourceOwner, 'view');
    expect((await sync()).invalid).toMatchObject([
      { path: 'plans/a.yaml', line: 2, reason: { code: 'not_applicable' } },
    ]);
    await grant(environmentId, sourceOwner, 'run');
    expect(names((await sync()).created)).toEqual(['guarded']);

    await grant(environmentId, sourceOwner, null);
    const lost = await push({ 'plans/a.yaml': bound('guarded', 'vault', 'id') });
    expect(lost).toMatchObject({ changed: [], invalidCount: 1 });
    expect(await lab.planOf('guarded')).toMatchObject({ revision: 1, steps: [{ command: 'uptime' }] });
    const gone = await push({ 'plans/a.yaml': null });
    expect(gone).toMatchObject({ removed: [], kept: [{ name: 'guarded' }] });
    expect(gone.kept[0]?.reason.text).toContain('may not change plans of its environment');
  });

  it('are refused if a hidden plan has their name, without naming its file', async () => {
    await restricted('secret place');
    const { syncs } = await lab.source(admin, {
      'plans/a-hidden.yaml': bound('Taken Twice', 'secret place'),
      'plans/b.yaml': bound('taken twice', 'secret place'),
      'plans/c.yaml': 'name: taken twice\nsteps:\n  - key: run\n    command: uptime\n',
    });
    const [report] = await syncs(viewer);
    const messages = report?.invalid.map(({ reason }) => reason.text);
    expect(messages).toEqual(['The name "taken twice" is already taken. Choose another one; names are unique.']);
    expect(report?.hidden).toBeGreaterThan(0);
  });

  it('are not applied after that member was deleted, until another member saves the folders', async () => {
    const sourceOwner = await lab.runward.member(admin, 'operator');
    const plan = 'name: of one who leaves\nsteps:\n  - key: run\n    command: uptime\n';
    const { id, repository, applied, syncs } = await lab.source(sourceOwner, { 'plans/a.yaml': plan });
    const sync = async () => {
      expect((await admin.api.post(`${ROUTE}/${id}/sync`)).status).toBe(202);
      await applied();
      return (await syncs())[0];
    };
    expect((await admin.api.patch(`/api/members/${sourceOwner.userId}`, { role: 'viewer' })).status).toBe(200);
    await repository.commit({ 'plans/a.yaml': null });
    expect(await sync()).toMatchObject({ removed: [], kept: [], invalid: [{ path: 'plans', line: null }] });
    expect(await lab.planOf('of one who leaves')).toMatchObject({ revision: 1 });

    const planFolders = [{ path: 'plans', collectionId: lab.collectionId }];
    expect((await admin.api.patch(`${ROUTE}/${id}`, { planFolders })).status).toBe(200);
    expect(names((await sync())?.removed)).toEqual(['of one who leaves']);
  });

  it('are saved with the rights of the member who last changed its URL or branch', async () => {
    const sourceOwner = await lab.runward.member(admin, 'operator');
    const other = await lab.runward.member(admin, 'operator');
    const { id, repository } = await lab.source(sourceOwner, { 'plans/a.yaml': 'x: 1\n' });
    await repository.commit({ 'plans/b.yaml': 'x: 1\n' }, { branch: 'other' });
    const changed = async (by: TestMember, body: object) =>
      (await by.api.patch<GitSourceView>(`${ROUTE}/${id}`, body)).body.planFolders[0]?.setUpBy?.id;
    expect(await changed(other, { description: 'x' })).toBe(sourceOwner.userId);
    expect(await changed(other, { branch: 'other' })).toBe(other.userId);
    expect(await changed(sourceOwner, { url: `${lab.remotes.url}/elsewhere.git` })).toBe(sourceOwner.userId);
  });
});

describe('faults of new files that became no plan', () => {
  const environments = async () => {
    await idOf(admin.api.post('/api/environments', { name: 'seen by all' }));
    return restricted('seen by few');
  };
  const FILES = {
    'plans/of-hidden.yaml': 'name: of hidden\nenvironment: seen by few\nsteps: []\n',
    'plans/of-visible.yaml': 'name: of visible\nenvironment: seen by all\nsteps: []\n',
    'plans/of-none.yaml': 'name: of none\nsteps: []\n',
    'plans/of-unknown.yaml': 'name: of unknown\nenvironment: no such environment\nsteps: []\n',
    'plans/unreadable.yaml': 'name: [seen by few\n',
    'plans/binary.yaml': '\u0000',
  };
  const ALL = Object.keys(FILES).sort();
  const VISIBLE = ['plans/of-none.yaml', 'plans/of-visible.yaml'];

  it('are shown to members who see the environment, or every environment if the file does not say which', async () => {
    const environmentId = await environments();
    const sourceOwner = await lab.runward.member(admin, 'operator');
    const guestMember = await lab.runward.member(admin, 'operator');
    await grant(environmentId, guestMember, 'view');
    const { syncs } = await lab.source(sourceOwner, FILES);
    const paths = async (member: TestMember) => {
      const [report] = await syncs(member);
      return [...new Set(report?.invalid.map(({ path }) => path))].sort();
    };
    expect(await paths(admin)).toEqual(ALL);
    expect(await paths(viewer)).toEqual(VISIBLE);
    expect(await paths(sourceOwner)).toEqual(ALL.filter((path) => path !== 'plans/of-hidden.yaml'));
    expect(await paths(guestMember)).toEqual([...VISIBLE, 'plans/of-hidden.yaml'].sort());
    expect((await syncs(viewer))[0]).toMatchObject({ invalidCount: 6, hidden: expect.any(Number) });
  });
});

describe('plan files of a hidden environment in the git source', () => {
  const shown = 'name: shown\nsteps:\n  - key: run\n    command: uptime\n';
  let id: string;
  let environmentId: string;
  let formerCommit: string | undefined;

  const pathsOf = async ({ api }: TestMember, path = '') =>
    (await api.get<GitTreeView>(`${ROUTE}/${id}/tree?path=${path}`)).body.items.map((entry) => entry.path);
  const subjectsOf = async ({ api }: TestMember, path?: string) =>
    (await api.get<GitCommitListView>(`${ROUTE}/${id}/commits${path ? `?path=${path}` : ''}`)).body.items.map(
      ({ subject }) => subject,
    );
  const answer = async ({ api }: TestMember, route: string, path: string, ref = '') => {
    const found = await api.get(`${ROUTE}/${id}/${route}?path=${path}${ref}`);
    return { status: found.status, text: found.text.replaceAll(path, 'PATH').replace(/"requestId":"[^"]*"/, '') };
  };

  beforeAll(async () => {
    environmentId = await restricted('cellar');
    const source = await lab.source(admin, {
      'plans/shown.yaml': shown,
      'plans/README.md': 'x',
      'plans/former.yaml': bound('hidden', 'cellar'),
      'plans/broken.YML': 'environment: cellar\n',
      'deploy.sh': 'id',
    });
    ({ id } = source);
    formerCommit = (await source.view()).commit ?? undefined;
    await source.repository.commit(
      { 'plans/former.yaml': null, 'plans/now.yaml': bound('hidden', 'cellar') },
      { message: 'move the hidden plan' },
    );
    await source.sync();
    await source.repository.commit({ 'plans/shown.yaml': `${shown}# x\n` }, { message: 'change the shown plan' });
    await source.sync();
  });

  it('are listed and read by members who see every environment', async () => {
    expect(await pathsOf(admin, 'plans')).toEqual([
      ...['plans/README.md', 'plans/broken.YML', 'plans/now.yaml', 'plans/shown.yaml'],
    ]);
    expect(await subjectsOf(admin)).toContain('move the hidden plan');
    expect((await answer(admin, 'file', 'plans/former.yaml', `&ref=${formerCommit}`)).status).toBe(200);
    await grant(environmentId, viewer, 'view');
    expect((await answer(viewer, 'file', 'plans/now.yaml')).status).toBe(200);
    await grant(environmentId, viewer, null);
  });

  it('are in no list of other members', async () => {
    expect(await pathsOf(viewer)).toEqual(['deploy.sh', 'plans']);
    expect(await pathsOf(viewer, 'plans')).toEqual(['plans/README.md', 'plans/shown.yaml']);
    for (const path of [undefined, 'plans'])
      expect(await subjectsOf(viewer, path)).not.toContain('move the hidden plan');
    expect(await subjectsOf(viewer, 'plans/shown.yaml')).toContain('change the shown plan');
    expect(await subjectsOf(viewer, 'deploy.sh')).toHaveLength(1);
  });

  it.each(['tree', 'file', 'commits'])('are answered like files that do not exist by %s', async (route) => {
    const ref = `&ref=${formerCommit}`;
    for (const [path, at] of [
      ['plans/now.yaml', ''],
      ['plans/broken.YML', ''],
      ['plans/former.yaml', ref],
    ] as const)
      expect(await answer(viewer, route, path, at)).toEqual(await answer(viewer, route, 'plans/nothing.txt', at));
    expect((await answer(viewer, 'file', 'plans/shown.yaml', ref)).status).toBe(200);
  });

  it('are not named by scripts, templates and steps of other members', async () => {
    const { api } = lab.operator;
    const codeOf = async (sent: Promise<Answer>) => {
      const { status, body } = await sent;
      return [status, (body as { errors?: { path: string }[] }).errors?.[0]?.path];
    };
    const save = (kind: string, path: string) =>
      codeOf(
        api.post(`/api/${kind}`, { name: `${kind} ${path}`, source: { gitSourceId: id, path, ref: formerCommit } }),
      );
    const savePlan = (sourcePath: string) =>
      codeOf(
        api.post('/api/plans', {
          name: `plan ${sourcePath}`,
          steps: [{ key: 'a', type: 'file', gitSourceId: id, sourcePath, path: '/tmp/x' }],
        }),
      );
    for (const path of ['plans/now.yaml', 'plans/former.yaml', 'plans/nothing.yaml']) {
      for (const kind of ['scripts', 'templates']) expect(await save(kind, path)).toEqual([404, '/source/path']);
      expect(await savePlan(path)).toEqual([404, '/steps/0/sourcePath']);
    }
    for (const path of ['plans/shown.yaml', 'deploy.sh']) {
      for (const kind of ['scripts', 'templates']) expect(await save(kind, path)).toEqual([201, undefined]);
      expect(await savePlan(path)).toEqual([201, undefined]);
    }
  });
});

describe('author of a commit', () => {
  it('cannot approve the changes until they have run approved, and gains no rights', async () => {
    const { environmentId } = await makeScene(admin.api, { name: 'guarded-by-two', environment: { protected: true } });
    const author = await lab.runward.member(admin, 'operator');
    const other = await lab.runward.member(admin, 'viewer');
    for (const member of [author, other]) await grant(environmentId, member, 'approve');
    const { push } = await lab.source(admin, { 'plans/a.yaml': bound('approved', 'guarded-by-two') });
    const planId = (await lab.planOf('approved'))?.id;
    const start = async () => {
      const { status, text, body } = await lab.operator.api.post<ExecutionView>('/api/executions', {
        planId,
        execution_mode: 'auto',
      });
      expect([status, text]).toEqual([201, expect.any(String)]);
      return body;
    };
    const mayApprove = async (run: ExecutionView, by: TestMember) =>
      (await by.api.get<ExecutionView>(`/api/executions/${run.id}`)).body.approval?.currentUserObstacle?.code ?? null;
    const before = await start();
    expect([
      await mayApprove(before, author),
      await mayApprove(before, other),
      await mayApprove(before, viewer),
    ]).toEqual([null, null, expect.any(String)]);
    expect((await admin.api.post(`/api/executions/${before.id}/cancel`)).status).toBe(200);

    await push({ 'plans/a.yaml': bound('approved', 'guarded-by-two', 'id') }, author.email.toUpperCase());
    // The commit names an author who lacks the grant. This does not make that member an approver.
    await push({ 'plans/a.yaml': bound('approved', 'guarded-by-two', 'id -u') }, viewer.email);
    const run = await start();
    expect([await mayApprove(run, author), await mayApprove(run, other)]).toEqual(['self_approval', null]);
    expect(await mayApprove(run, viewer)).not.toBeNull();
    const refused = await author.api.post<{ code: string }>(`/api/executions/${run.id}/approve`, {
      digest: run.digest,
    });
    expect([refused.status, refused.body.code]).toEqual([403, 'self_approval']);
  });
});

describe('report', () => {
  it('contains only what its reader can see, and the number of hidden entries', async () => {
    await restricted('hidden');
    const { push, syncs } = await lab.source(admin, {
      'plans/a.yaml': bound('seen by few', 'hidden'),
      'plans/b.yaml': 'name: seen by all\nsteps:\n  - key: run\n    command: uptime\n',
    });
    const [ofAdmin] = await syncs();
    const [ofViewer] = await syncs(viewer);
    expect([names(ofAdmin?.created), ofAdmin?.hidden]).toEqual([['seen by few', 'seen by all'], 0]);
    expect([names(ofViewer?.created), ofViewer?.createdCount, ofViewer?.hidden]).toEqual([['seen by all'], 2, 1]);
    await push({ 'plans/a.yaml': 'name: seen by few\nsteps: 1\n' });
    expect((await syncs(viewer))[0]).toMatchObject({ invalid: [], invalidCount: 1, hidden: 1 });
    await push({ 'plans/a.yaml': null });
    const [after] = await syncs(viewer);
    expect([after?.removed, after?.removedCount, after?.hidden]).toEqual([[], 1, 1]);
    expect(JSON.stringify(await syncs(viewer))).not.toContain('seen by few');
    const stranger = await lab.runward.tenant();
    const [{ id } = { id: '' }] = (await admin.api.get<{ items: { id: string }[] }>(ROUTE)).body.items;
    expect((await stranger.api.get(`${ROUTE}/${id}/plan-syncs`)).status).toBe(404);
  });
});
