import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { leastGap } from '../../test/support/longest-gap.js';
import { withLockedRows } from '../../test/support/row-lock.js';
import { newId } from '../common/ids.js';

interface Revision {
  number: number;
  message: string | null;
  interpreter?: string | null;
  source: object | null;
}
interface Library {
  id: string;
  name: string;
  content: string;
  interpreter?: string | null;
  source: object | null;
  revision: number;
  version: number;
}
interface Diff {
  from: Revision | null;
  to: Revision;
  changes: string[];
  text: string | null;
  moreLines: number;
}
interface Refusal {
  code: string;
  errors?: { path: string; code: string }[];
}

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  viewer = await runward.member(admin, 'viewer');
});
afterAll(() => runward.close());

let numbered = 0;
const gitSource = async () => {
  numbered += 1;
  const source = { name: `source-${numbered}`, url: `https://source-${numbered}.invalid/plans.git` };
  return (await admin.api.post<{ id: string }>('/api/git-sources', source)).body.id;
};

describe.each(['scripts', 'templates'])('revisions of %s', (records) => {
  const path = (id: string) => `/api/${records}/${id}`;
  const create = async (fields: object): Promise<Library> => {
    numbered += 1;
    const answer = await operator.api.post<Library>(`/api/${records}`, { name: `record-${numbered}`, ...fields });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer.body;
  };
  const save = (id: string, fields: object, headers = {}) =>
    operator.api.patch<Library & Refusal>(path(id), fields, headers);
  const restore = (id: string, body: object, headers = {}) =>
    operator.api.post<Library & Refusal>(`${path(id)}/restore`, body, headers);
  const diff = (id: string, way: string) => viewer.api.get<Diff>(`${path(id)}/revisions/${way}`);
  const messages = async (id: string) =>
    (await viewer.api.get<{ items: Revision[] }>(`${path(id)}/revisions`)).body.items.map(({ number, message }) => [
      number,
      message,
    ]);

  it('store their message; a save without a new revision stores none', async () => {
    const { id } = await create({ content: 'one\n', message: ' As it was\nfound ' });
    await save(id, { content: 'two\n', message: 'Two is better' });
    await save(id, { content: 'two\n', description: 'x', message: 'Nobody reads this' });
    await save(id, { content: 'three\n', message: ' ' });
    expect(await messages(id)).toEqual([
      [3, null],
      [2, 'Two is better'],
      [1, 'As it was\nfound'],
    ]);
    const one = await viewer.api.get<Revision>(`${path(id)}/revisions/2`);
    expect(one.body).toMatchObject({ number: 2, message: 'Two is better', content: 'two\n' });
    expect((await save(id, { message: 'm'.repeat(501) })).body.errors).toMatchObject([{ path: '/message' }]);
  });

  it('are compared line by line, in any pair', async () => {
    const { id } = await create({ content: 'a\nb\nc\n' });
    await save(id, { content: 'a\nB\nc\n' });
    await save(id, { content: 'a\nB\nc\nd' });
    expect((await diff(id, '2/diff')).body).toMatchObject({
      from: { number: 1 },
      to: { number: 2 },
      changes: ['content'],
      text: '--- revision 1\n+++ revision 2\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
      moreLines: 0,
    });
    const wide = (await diff(id, '3/diff?against=1')).body;
    expect([wide.from?.number, wide.to.number]).toEqual([1, 3]);
    expect(wide.text).toContain('-b\n+B\n c\n+d\n\\ No newline at end of file\n');
    expect((await diff(id, '1/diff?against=3')).body.text).toContain('-B\n+b\n c\n-d\n');
    expect((await diff(id, '1/diff')).body).toMatchObject({
      from: null,
      changes: expect.arrayContaining(['content']),
      text: '--- /dev/null\n+++ revision 1\n@@ -0,0 +1,3 @@\n+a\n+b\n+c\n',
    });
    expect((await diff(id, '2/diff?against=2')).body).toMatchObject({ changes: [], from: { number: 2 } });
    for (const against of ['0', '-1', 'x', '1.5', '', '1000000000', '1&against=2'])
      expect([against, (await diff(id, `1/diff?against=${against}`)).status]).toEqual([against, 400]);
    for (const way of ['1/diff?against=4', '4/diff', '0/diff', 'x/diff'])
      expect([way, (await diff(id, way)).status]).toEqual([way, 404]);
    expect((await diff(newId(), '1/diff')).status).toBe(404);
  });

  it('are also compared by their source, and restored with it', async () => {
    const gitSourceId = await gitSource();
    const source = { gitSourceId, path: 'a.txt', ref: 'main' };
    const { id } = await create({ content: 'here\n' });
    await save(id, { source });
    await save(id, { source: { ...source, path: 'b.txt' } });
    expect((await diff(id, '2/diff')).body).toMatchObject({
      changes: ['content', 'source'],
      from: { source: null },
      to: { source },
      text: expect.stringContaining('-here\n'),
    });
    expect((await diff(id, '3/diff')).body).toMatchObject({
      changes: ['source'],
      text: expect.not.stringMatching(/^@@/m),
    });
    expect((await restore(id, { revision: 1 })).body).toMatchObject({ revision: 4, content: 'here\n', source: null });
    expect((await restore(id, { revision: 2 })).body).toMatchObject({ revision: 5, content: '', source });
    await save(id, { content: 'here again\n' });
    expect((await operator.api.delete(`/api/git-sources/${gitSourceId}`)).status).toBe(204);
    const gone = await restore(id, { revision: 2 });
    expect([gone.status, gone.body.errors]).toMatchObject([404, [{ path: '/source/gitSourceId' }]]);
  });

  it('are restored as a new revision with reason, author and audit entry; the name is kept', async () => {
    const { id, name } = await create({ content: 'one\n' });
    await admin.api.patch(path(id), { name: `${name}-renamed`, content: 'two\n' });
    const { status, body } = await restore(id, { revision: 1 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: `${name}-renamed`, content: 'one\n', revision: 3, version: 3 });
    await restore(id, { revision: 2, message: 'Two after all' });
    expect((await messages(id)).slice(0, 2)).toEqual([
      [4, 'Two after all'],
      [3, 'Restored revision 1'],
    ]);
    const third = await viewer.api.get<{ createdBy: { id: string } | null }>(`${path(id)}/revisions/3`);
    expect(third.body.createdBy?.id).toBe(operator.userId);
    const audit = await admin.api.get<{ items: { before: { revision: number }; after: { revision: number } }[] }>(
      `/api/audit-logs?resourceId=${id}&action=${records.slice(0, -1)}.restore`,
    );
    expect(audit.body.items.map(({ before, after }) => [before.revision, after.revision])).toEqual([
      [3, 4],
      [2, 3],
    ]);
    expect(audit.text).not.toContain('one\\n');
  });

  it('are not restored if unchanged, missing, or saved concurrently', async () => {
    const { id } = await create({ content: 'one\n' });
    expect((await restore(id, { revision: 1 })).body).toMatchObject({ revision: 1, version: 2 });
    expect(await messages(id)).toEqual([[1, null]]);
    const missing = await restore(id, { revision: 2 });
    expect([missing.status, missing.body.errors]).toMatchObject([404, [{ path: '/revision' }]]);
    expect((await restore(newId(), { revision: 1 })).status).toBe(404);
    for (const revision of [0, -1, 1.5, '1', null, undefined])
      expect([revision, (await restore(id, { revision })).status]).toEqual([revision, 400]);
    expect((await viewer.api.post(`${path(id)}/restore`, { revision: 1 })).status).toBe(403);
    await save(id, { content: 'two\n' });
    expect((await restore(id, { revision: 1 }, { 'if-match': '"2"' })).status).toBe(412);
    const hold = `select set_config('app.tenant', '${admin.tenantId}', true);
      select 1 from ${records} where id = '${id}' for update`;
    const answers = await withLockedRows(runward.database, hold, 2, () =>
      Promise.all([
        restore(id, { revision: 1 }, { 'if-match': '"3"' }),
        save(id, { content: 'three\n' }, { 'if-match': '"3"' }),
      ]),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(await messages(id)).toHaveLength(3);
  });

  it.each([
    ['where every line differs', (letter: string) => `${letter}\n`.repeat(131_072)],
    ['of one line', (letter: string) => letter.repeat(262_144)],
    [
      'of lines that stand elsewhere',
      (letter: string) =>
        Array.from({ length: 40_000 }, (_, at) => (letter === 'a' ? at : at ^ 5461))
          .join('\n')
          .slice(0, 262_144),
    ],
  ])('of the largest contents are compared without blocking other requests: %s', async (_, content) => {
    const { id } = await create({ content: content('a') });
    await save(id, { content: content('b') });
    await diff(id, '1/diff?against=1');
    const { gap, result } = await leastGap(() => diff(id, '2/diff'));
    expect(result.status).toBe(200);
    expect(result.body.changes).toEqual(['content']);
    expect(gap).toBeLessThan(50);
  });
});

describe('revisions of scripts', () => {
  it('report another interpreter, which is restored with the content', async () => {
    const { body: made } = await operator.api.post<Library>('/api/scripts', { name: 'told', content: 'true\n' });
    await operator.api.patch(`/api/scripts/${made.id}`, { interpreter: 'bash' });
    const { body } = await viewer.api.get<Diff>(`/api/scripts/${made.id}/revisions/2/diff`);
    expect(body).toMatchObject({
      from: { interpreter: null },
      to: { interpreter: 'bash' },
      changes: ['interpreter'],
    });
    const restored = await operator.api.post<Library>(`/api/scripts/${made.id}/restore`, { revision: 1 });
    expect(restored.body).toMatchObject({ interpreter: null, revision: 3 });
  });
});

describe('revisions of templates', () => {
  it('are validated by the current rules before they are restored', async () => {
    const { body: made } = await operator.api.post<Library>('/api/templates', { name: 'ruled', content: 'a\n' });
    await operator.api.patch(`/api/templates/${made.id}`, { content: 'b\n' });
    // Simulates a revision that was saved under older rules.
    await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
    await runward.database.query(
      `update template_revisions set content = '{{ open' where record_id = $1 and number = 1`,
      [made.id],
    );
    const refused = await operator.api.post<Refusal>(`/api/templates/${made.id}/restore`, { revision: 1 });
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ path: '/content' }]]);
  });
});
