import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type FolderLab, startFolderLab } from '../../../test/support/folder-lab.js';
import { startWorkerProcess, type WorkerProcess } from '../../../test/support/worker-process.js';
import type { PlanRevisionListView } from '../plans.view.js';

const plan = (name: string, command = 'uptime') => `name: ${name}\nsteps:\n  - key: run\n    command: ${command}\n`;
const names = (list: readonly { name: string }[] = []) => list.map(({ name }) => name);

describe('malicious folder', () => {
  let lab: FolderLab;
  beforeAll(async () => {
    lab = await startFolderLab();
  });
  afterAll(() => lab.close());

  it('is reported by file, and valid files still become plans', async () => {
    const yamlBomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let n = 1; n < 12; n += 1)
      yamlBomb.push(
        `k${n}: &k${n} [${Array<string>(9)
          .fill(`*${n === 1 ? 'a' : `k${n - 1}`}`)
          .join()}]`,
      );
    const { syncs } = await lab.source(
      lab.operator,
      {
        'plans/binary.yaml': Buffer.from([0xff, 0xfe, 0, 1]),
        'plans/bomb.yaml': yamlBomb.join('\n'),
        'plans/deep.yaml': `name: x\nsteps: ${'['.repeat(5000)}${']'.repeat(5000)}\n`,
        'plans/empty.yaml': '',
        'plans/huge.yaml': `name: x\n# ${'x'.repeat(256 * 1024)}\n`,
        'plans/list.yaml': '- 1\n- 2\n',
        'plans/lfs.yaml': `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 7\n`,
        'plans/nul.yaml': 'name: "a\0b"\n',
        'plans/proto.yaml': 'name: x\n__proto__: {a: 1}\nsteps: []\n',
        'plans/sound.yaml': plan('sound'),
        'plans/two.yaml': `${plan('first')}---\n${plan('second')}`,
      },
      {
        prepare: async (repository) => {
          const old = await repository.git(['rev-parse', 'refs/heads/main']);
          const lines = [
            ...['commit refs/heads/main', 'committer A <a@example.test> 1700000000 +0000', 'data 4', 'link'],
            ...[`from ${old}`, 'M 120000 inline plans/link.yaml', 'data 11', '/etc/passwd'],
            ...['M 120000 inline plans/inner', 'data 2', '..'],
          ];
          await repository.git(['fast-import', '--quiet'], `${lines.join('\n')}\n`);
        },
      },
    );
    const [report] = await syncs();
    expect(names(report?.created)).toEqual(['sound']);
    expect(Object.fromEntries((report?.invalid ?? []).map(({ path, reason }) => [path, reason.code]))).toEqual({
      'plans/binary.yaml': 'forbidden_character',
      'plans/bomb.yaml': 'yaml_alias',
      'plans/deep.yaml': 'too_deep',
      'plans/empty.yaml': 'wrong_type',
      'plans/huge.yaml': 'too_large',
      'plans/lfs.yaml': 'content_missing',
      'plans/link.yaml': 'invalid_path',
      'plans/list.yaml': 'wrong_type',
      'plans/nul.yaml': 'forbidden_character',
      'plans/proto.yaml': 'forbidden_field',
      'plans/two.yaml': 'several_documents',
    });
    expect(JSON.stringify(report)).not.toContain('root:');
  });

  it('with too many files is read in part, reports their number, and deletes no plans', async () => {
    const files: Record<string, string> = {};
    for (let n = 0; n < 499; n += 1) files[`plans/b${String(n).padStart(3, '0')}.yaml`] = 'x: 1\n';
    const { push } = await lab.source(lab.operator, { ...files, 'plans/z.yaml': plan('the last one') });
    const more: Record<string, string> = {};
    for (let n = 0; n < 100; n += 1) more[`plans/a${n}.yaml`] = 'x: 1\n';
    const report = await push(more);
    expect(report).toMatchObject({ leftOut: 100, invalidCount: 500, removed: [] });
    expect(report.invalid).toHaveLength(200);
    expect(await lab.planOf('the last one')).toMatchObject({ revision: 1 });
  }, 120_000);
});

describe('worker that is killed while it applies a folder', () => {
  let lab: FolderLab;
  const workers: WorkerProcess[] = [];
  beforeAll(async () => {
    lab = await startFolderLab({ worker: false });
  });
  afterAll(async () => {
    for (const worker of workers) await worker.end('SIGKILL');
    await lab.close();
  });
  const startWorker = async () => {
    const worker = await startWorkerProcess(lab.runward, lab.settings);
    workers.push(worker);
    return worker;
  };

  it('leaves no partial changes; the next worker creates each plan once, with one report and one audit entry', async () => {
    const { database } = lab.runward;
    const first = await startWorker();
    const { applied, syncs, repository, id } = await lab.source(lab.operator, {
      'plans/a.yaml': plan('one'),
      'plans/b.yaml': plan('two'),
    });
    await repository.commit({ 'plans/a.yaml': plan('one', 'id'), 'plans/b.yaml': null, 'plans/c.yaml': plan('three') });
    // The worker has made all changes but not committed them when it waits for the table of reports.
    await database.query('begin; lock table plan_folder_syncs in exclusive mode');
    expect((await lab.operator.api.post(`/api/git-sources/${id}/sync`)).status).toBe(202);
    await eventually('the worker waits with its report', async () => {
      await database.query('select pg_stat_clear_snapshot()');
      const rows = await database.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
      );
      return rows.length > 0;
    });
    await first.end('SIGKILL');
    await database.query('rollback');
    expect(await lab.planOf('one')).toMatchObject({ revision: 1 });
    await startWorker();
    await applied();
    const reports = await syncs();
    expect(reports).toHaveLength(2);
    expect([names(reports[0]?.created), names(reports[0]?.changed), names(reports[0]?.removed)]).toEqual([
      ['three'],
      ['one'],
      ['two'],
    ]);
    const one = await lab.planOf('one');
    const revisions = await lab.admin.api.get<PlanRevisionListView>(`/api/plans/${one?.id}/revisions`);
    expect(revisions.body.items.map(({ number }) => number)).toEqual([2, 1]);
    const trail = await lab.admin.api.get<{ items: { action: string }[] }>(`/api/audit-logs?resourceId=${one?.id}`);
    expect(trail.body.items.map(({ action }) => action)).toEqual(['plan.update', 'plan.create']);
  }, 120_000);

  it('has the same result as two workers for one source at the same time', async () => {
    await startWorker();
    const { push, repository, id, applied, syncs } = await lab.source(lab.operator, { 'plans/a.yaml': plan('shared') });
    await push({ 'readme.md': 'x' });
    await repository.commit({ 'plans/a.yaml': plan('shared', 'id') });
    await Promise.all([1, 2, 3, 4].map(() => lab.operator.api.post(`/api/git-sources/${id}/sync`)));
    await applied();
    expect(await lab.planOf('shared')).toMatchObject({ revision: 2 });
    expect((await syncs()).filter(({ changed }) => changed.length > 0)).toHaveLength(1);
  }, 120_000);
});
