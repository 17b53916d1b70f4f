import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FolderLab, idOf, startFolderLab } from '../../../test/support/folder-lab.js';
import type { TestMember } from '../../../test/support/installation.js';
import type { PlanRevisionListView, PlanView } from '../plans.view.js';

const ROUTE = '/api/git-sources';

let lab: FolderLab;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;
let collectionId: string;
let source: FolderLab['source'];
let planOf: FolderLab['planOf'];

beforeAll(async () => {
  lab = await startFolderLab();
  ({ admin, operator, viewer, collectionId, source, planOf } = lab);
});
afterAll(() => lab.close());

const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { code?: string }).code];
const plan = (name: string, command = 'uptime', more = '') =>
  `name: ${name}\n${more}steps:\n  - key: run\n    command: ${command}\n`;
const calling = (name: string, called: string) =>
  `name: ${name}\nsteps:\n  - key: call\n    type: plan\n    plan: ${called}\n`;

const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

describe('folder of a git source', () => {
  it('creates plans in its collection and updates them with their files', async () => {
    const { push, syncs, view, id, repository } = await source(operator, {
      'plans/one.yaml': plan('one'),
      'plans/deep/two.yml': plan('two'),
      'plans/readme.md': 'no plan',
      'other/three.yaml': plan('three'),
    });
    const first = await view();
    expect(first.planFolders).toEqual([
      {
        path: 'plans',
        collectionId,
        setUpBy: { id: operator.userId, name: expect.stringMatching(/^operator/) as unknown },
      },
    ]);
    expect(first.planSync).toMatchObject({ commit: first.commit, created: 2, invalid: 0, removed: 0 });
    const one = await planOf('one');
    expect(one).toMatchObject({
      collectionId,
      revision: 1,
      origin: { gitSourceId: id, path: 'plans/one.yaml', commit: first.commit },
    });
    expect(await planOf('three')).toBeUndefined();
    expect(names((await syncs())[0]?.created ?? [])).toEqual(['two', 'one']);

    const changed = await push({
      'plans/one.yaml': plan('one', 'id'),
      'plans/deep/two.yml': null,
      'plans/new.yaml': plan('new'),
    });
    expect([names(changed.created), names(changed.changed), names(changed.removed)]).toEqual([
      ['new'],
      ['one'],
      ['two'],
    ]);
    const head = await repository.git(['rev-parse', 'refs/heads/main']);
    expect(await planOf('one')).toMatchObject({ id: one?.id, revision: 2, origin: { commit: head } });
    expect(await planOf('two')).toBeUndefined();
    const actions = await admin.api.get<{ items: { action: string; actorName: string }[] }>(
      `/api/audit-logs?resourceId=${one?.id}`,
    );
    expect(actions.body.items.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['plan.create', 'plan.update']),
    );
  });

  it('does not save unchanged plans, and does not repeat a report', async () => {
    const { push, syncs, sync } = await source(operator, { 'plans/same.yaml': plan('same') });
    const report = await push({ 'plans/same.yaml': `# a comment\n${plan('same')}`, 'readme.md': 'x' });
    expect(report).toMatchObject({ changed: [], created: [], unchanged: 1 });
    expect(await planOf('same')).toMatchObject({ revision: 1 });
    expect(await syncs()).toHaveLength(2);
    await sync();
    expect(await syncs()).toHaveLength(2);
  });

  it('reports line and column of faults, and applies all other files', async () => {
    const { push, syncs } = await source(operator, {
      'plans/bad.yaml': 'name: bad\nsteps:\n  - key: run\n    comand: x\n',
      'plans/broken.yaml': 'name: [\n',
      'plans/good.yaml': plan('good'),
    });
    const [report] = await syncs();
    expect(names(report?.created ?? [])).toEqual(['good']);
    const reason = (code: string) => ({ code, text: expect.stringMatching(/\S/) });
    expect(report?.invalid).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          path: 'plans/bad.yaml',
          line: 4,
          column: 5,
          reason: reason('unknown_field'),
          planId: null,
        }),
        expect.objectContaining({ path: 'plans/broken.yaml', reason: reason('invalid_yaml') }),
      ]),
    );
    expect(report?.invalidCount).toBe(2);
    const later = await push({ 'plans/good.yaml': 'name: good\nsteps: 5\n', 'plans/bad.yaml': plan('bad') });
    expect(names(later.created)).toEqual(['bad']);
    const good = await planOf('good');
    expect(later.invalid.filter(({ path: at }) => at === 'plans/good.yaml')).toEqual([
      expect.objectContaining({ line: 2, planId: good?.id }),
    ]);
    expect(good).toMatchObject({ revision: 1, steps: [{ command: 'uptime' }] });
  });

  it('keeps a plan if its name or its file is renamed', async () => {
    const { push } = await source(operator, { 'plans/a.yaml': plan('first name'), 'plans/b.yaml': plan('to move') });
    const before = await planOf('first name');
    const moved = await planOf('to move');
    const report = await push({
      'plans/a.yaml': plan('second name'),
      'plans/b.yaml': null,
      'plans/c.yaml': plan('to move'),
    });
    expect([report.created, report.removed]).toEqual([[], []]);
    expect(await planOf('second name')).toMatchObject({ id: before?.id, revision: 2 });
    expect(await planOf('to move')).toMatchObject({ id: moved?.id, revision: 1, origin: { path: 'plans/c.yaml' } });
    // A name that becomes free can be used by another plan in the same commit.
    const freed = await push({ 'plans/a.yaml': plan('third name'), 'plans/0.yaml': plan('second name') });
    expect([names(freed.created), names(freed.changed), freed.invalid]).toEqual([['second name'], ['third name'], []]);
  });

  it('does not take over an existing plan, and refuses duplicate names', async () => {
    const own = await idOf(
      admin.api.post('/api/plans', { name: 'Mine', steps: [{ key: 'x', type: 'command', command: 'id' }] }),
    );
    const { syncs } = await source(operator, {
      'plans/a.yaml': plan('mine'),
      'plans/b.yaml': plan('twice'),
      'plans/c.yaml': plan('twice'),
    });
    const [report] = await syncs();
    expect(report?.invalid).toMatchObject([
      { path: 'plans/a.yaml', line: 1, reason: { code: 'duplicate_name' } },
      { path: 'plans/c.yaml', line: 1, reason: { code: 'duplicate_name' } },
    ]);
    expect(report?.invalid[1]?.reason.text).toContain('plans/b.yaml');
    expect((await admin.api.get<PlanView>(`/api/plans/${own}`)).body).toMatchObject({ revision: 1, origin: null });
  });

  it('saves called plans before their callers, and reports circles', async () => {
    const { syncs, push } = await source(operator, {
      'plans/a.yaml': calling('caller', 'called'),
      'plans/z.yaml': plan('called'),
      'plans/x.yaml': calling('x', 'y'),
      'plans/y.yaml': calling('y', 'x'),
    });
    const [report] = await syncs();
    expect(names(report?.created ?? [])).toEqual(['called', 'caller']);
    expect(report?.invalid).toMatchObject([
      { path: 'plans/x.yaml', line: 5, reason: { code: 'circular_call' } },
      { path: 'plans/y.yaml', line: 5, reason: { code: 'circular_call' } },
    ]);
    expect(report?.invalid[0]?.reason.text).toContain('"x" → "y" → "x"');
    // First reverses the call, then deletes both files: the caller must be deleted first.
    await push({ 'plans/a.yaml': plan('caller'), 'plans/z.yaml': calling('called', 'caller') });
    const gone = await push({ 'plans/a.yaml': null, 'plans/z.yaml': null });
    expect([names(gone.removed), gone.kept]).toEqual([['called', 'caller'], []]);
  });

  it('keeps a plan without a file while other plans call it, and reports why', async () => {
    const { push } = await source(operator, { 'plans/a.yaml': plan('in use') });
    const planId = (await planOf('in use'))?.id;
    const steps = [{ key: 'x', type: 'plan', planId }];
    const caller = await idOf(admin.api.post('/api/plans', { name: 'calls it', steps }));
    const report = await push({ 'plans/a.yaml': null });
    expect(report.kept).toMatchObject([{ planId, path: 'plans/a.yaml' }]);
    expect(report.kept[0]?.reason.text).toContain('Other plans call');
    expect((await admin.api.delete(`/api/plans/${caller}`)).status).toBe(204);
    const later = await push({ 'readme.md': 'x' });
    expect([names(later.removed), later.kept]).toEqual([['in use'], []]);
  });
});

describe('plan from a folder', () => {
  it('can only be changed in its file, until the folder is removed from the settings', async () => {
    const { id, name, push } = await source(operator, { 'plans/a.yaml': plan('managed') });
    const found = await planOf('managed');
    const at = `/api/plans/${found?.id}`;
    const refusals = [
      await operator.api.patch(at, { description: 'x' }),
      await operator.api.patch(at, { collectionId: null }),
      await operator.api.delete(at),
      await operator.api.post(`${at}/restore`, { revision: 1 }),
      await operator.api.post('/api/plans/import', { content: plan('managed', 'other') }),
      await operator.api.post('/api/plans/import', { content: plan('new name'), planId: found?.id }),
    ];
    for (const refusal of refusals) expect(codeOf(refusal)).toEqual([409, 'managed_by_git']);
    const detail = (refusals[0]?.body as { detail: string } | undefined)?.detail;
    expect(detail).toContain('plans/a.yaml');
    expect(detail).toContain(name);

    expect((await operator.api.patch(`${ROUTE}/${id}`, { planFolders: [] })).status).toBe(200);
    expect(await planOf('managed')).toMatchObject({ id: found?.id, origin: null, revision: 1 });
    expect((await operator.api.patch(at, { description: 'mine now' })).status).toBe(200);
    const entries = await admin.api.get<{ items: { action: string }[] }>(`/api/audit-logs?resourceId=${found?.id}`);
    expect(entries.body.items.map(({ action }) => action)).toContain('plan.release');
    await push({ 'plans/a.yaml': null });
    expect(await planOf('managed')).toMatchObject({ description: 'mine now' });
  });

  it('becomes an ordinary plan when the source is deleted', async () => {
    const { id } = await source(operator, { 'plans/a.yaml': plan('left behind') });
    expect((await operator.api.delete(`${ROUTE}/${id}`)).status).toBe(204);
    expect(await planOf('left behind')).toMatchObject({ origin: null, collectionId });
  });

  it('has the author of the last commit if that is a member, else the sync', async () => {
    const { name, push } = await source(operator, { 'plans/a.yaml': plan('authored') });
    const found = await planOf('authored');
    const revisions = async () =>
      (await admin.api.get<PlanRevisionListView>(`/api/plans/${found?.id}/revisions`)).body.items;
    expect(await revisions()).toMatchObject([{ createdBy: null, origin: { sourceName: name, path: 'plans/a.yaml' } }]);
    await push({ 'plans/a.yaml': plan('authored', 'id') }, viewer.email.toUpperCase());
    expect((await revisions())[0]).toMatchObject({ number: 2, createdBy: { id: viewer.userId } });
  });
});

describe('folders of a source', () => {
  it('are refused if they are not paths, are nested or have no collection', async () => {
    const { id } = await source(operator, { 'readme.md': 'x' }, { folders: [] });
    const set = (...planFolders: object[]) => operator.api.patch(`${ROUTE}/${id}`, { planFolders });
    for (const bad of ['/plans', 'plans/', '../x', 'a//b', 'a/./b'])
      expect(codeOf(await set({ path: bad, collectionId }))).toEqual([400, 'invalid_request']);
    for (const [one, other] of [
      ['a', 'a'],
      ['a', 'a/b'],
      ['a/b', 'a'],
      ['', 'a'],
      ['.', ''],
    ])
      expect(codeOf(await set({ path: one, collectionId }, { path: other, collectionId }))).toEqual([
        400,
        'invalid_request',
      ]);
    expect(codeOf(await set({ path: 'a', collectionId: operator.userId }))).toEqual([404, 'not_found']);
    const many = Array.from({ length: 11 }, (_, n) => ({ path: `f${n}`, collectionId }));
    expect(codeOf(await set(...many))).toEqual([400, 'invalid_request']);
    const fine = await set({ path: 'a', collectionId }, { path: 'ab', collectionId });
    expect(fine.status).toBe(200);
  });

  it('prevent the deletion of their collection', async () => {
    const target = await idOf(admin.api.post('/api/collections', { name: 'Target' }));
    const { id } = await source(operator, { 'readme.md': 'x' }, { folders: [] });
    await operator.api.patch(`${ROUTE}/${id}`, { planFolders: [{ path: 'a', collectionId: target }] });
    const refused = await admin.api.delete<{ referrers: object[] }>(`/api/collections/${target}`);
    expect(codeOf(refused)).toEqual([409, 'in_use']);
    expect(refused.body.referrers).toEqual([expect.objectContaining({ type: 'git_source', id })]);
    await operator.api.patch(`${ROUTE}/${id}`, { planFolders: [] });
    expect((await admin.api.delete(`/api/collections/${target}`)).status).toBe(204);
  });
});
