import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { FailureCausesView } from '../contract/failure-causes.view.js';
import type { PredictionListView } from '../contract/predictions.view.js';
import type { ResultGridView } from '../contract/result-grid.view.js';
import type { ExecutionView } from '../contract/execution.view.js';

let lab: RunLab;
beforeAll(async () => {
  lab = await startRunLab({ hosts: 4 });
  await lab.runward.worker();
});
afterAll(() => lab.close());

interface ResultPage {
  items: { serverName: string }[];
  nextCursor: string | null;
}

const HOST = `$(echo $SSH_CONNECTION | cut -d' ' -f3 | cut -d. -f4)`;
const read = async (id: string) => (await lab.api.get<FailureCausesView>(`/api/executions/${id}/failure-causes`)).body;
const serverIds = (...numbers: number[]) => numbers.map((number) => lab.servers[number - 1]?.id);

describe('a run with failed hosts', () => {
  let run: ExecutionView;
  beforeAll(async () => {
    run = await lab.run([
      { key: 'ready', command: 'echo ready' },
      {
        key: 'migrate',
        name: 'Migrate',
        command: `case ${HOST} in 4) echo done;; 3) echo progress >&2; exit 4;; *) echo "host ${HOST}: disk full" >&2; exit 3;; esac`,
      },
    ]);
  });

  it('lists the causes, with the hosts of each', async () => {
    const { items, moreCauses } = await read(run.id);
    expect(items.map(({ stepKey, status, exitCode, text }) => [stepKey, status, exitCode, text])).toEqual([
      ['migrate', 'FAILED', 3, 'host …: disk full'],
      ['migrate', 'FAILED', 4, 'progress'],
    ]);
    expect(items.map((each) => [...each.serverIds].sort())).toEqual([serverIds(1, 2).sort(), serverIds(3)]);
    expect(items[0]?.serverIds[0]).toBe(items[0]?.firstHost.serverId);
    expect(moreCauses).toBe(0);
  });

  it('lists the results of a step by host name or duration, in pages', async () => {
    await lab.runward.database.query(
      `update host_results r set finished_at = r.started_at + make_interval(secs => case h.ordinal when 1 then 9 else 5 - h.ordinal end)
        from execution_hosts h where h.execution_id = r.execution_id and h.server_id = r.server_id and r.execution_id = $1`,
      [run.id],
    );
    const list = async (query: string) => {
      const names: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const path: string = `/api/executions/${run.id}/results?${query}&limit=1${cursor && `&cursor=${cursor}`}`;
        const { body }: { body: ResultPage } = await lab.api.get<ResultPage>(path);
        names.push(...body.items.map(({ serverName }) => serverName));
        cursor = body.nextCursor;
      }
      return names.map((name) => name.replace('web-', '')).join('');
    };
    expect(await list('stepKey=migrate&sort=durationMs')).toBe('4312');
    expect(await list('stepKey=migrate&sort=-durationMs')).toBe('2134');
    expect(await list('stepKey=migrate&sort=-serverName')).toBe('4321');
    expect(await list('stepKey=migrate&status=FAILED&sort=serverName')).toBe('123');
  });

  it('refuses a sort over all steps and hosts, and a cursor of another sort', async () => {
    const list = (query: string) =>
      lab.api.get<{ nextCursor: string; errors: object[] }>(`/api/executions/${run.id}/results?limit=1&${query}`);
    expect((await list('sort=durationMs')).body.errors).toMatchObject([{ path: '?sort', code: 'not_applicable' }]);
    expect((await list('sort=name&stepKey=migrate')).body.errors).toMatchObject([{ path: '?sort' }]);
    const { nextCursor } = (await list('sort=durationMs&stepKey=migrate')).body;
    for (const query of ['stepKey=migrate', 'stepKey=migrate&sort=-durationMs'])
      expect((await list(`${query}&cursor=${nextCursor}`)).body.errors).toMatchObject([{ code: 'invalid_cursor' }]);
  });

  it('is rerun on the hosts of one cause', async () => {
    const body = { hosts: 'failed', snapshot: 'same', serverIds: serverIds(3) };
    const again = await lab.api.post<ExecutionView>(`/api/executions/${run.id}/rerun`, body);
    expect(again.status).toBe(201);
    expect((await lab.settled(again.body.id)).hosts.map(({ name }) => name)).toEqual(['web-3']);
    expect((await read(again.body.id)).items.map(({ key }) => key)).toEqual([(await read(run.id)).items[1]?.key]);
  });

  it.each(['same', 'current'] as const)('is rerun on named hosts that succeeded (%s content)', async (snapshot) => {
    const body = { hosts: 'all', snapshot, serverIds: serverIds(4, 3) };
    const again = await lab.api.post<ExecutionView>(`/api/executions/${run.id}/rerun`, body);
    expect(again.status).toBe(201);
    expect((await lab.settled(again.body.id)).hosts.map(({ name }) => name)).toEqual(['web-3', 'web-4']);
  });

  it('refuses a rerun on servers that it does not have, and on hosts that did not fail', async () => {
    const rerun = (body: object) =>
      lab.api.post<{ code: string; detail: string; errors: unknown[] }>(`/api/executions/${run.id}/rerun`, {
        snapshot: 'same',
        ...body,
      });
    const unknown = await rerun({ hosts: 'failed', serverIds: [...serverIds(1), run.id] });
    expect([unknown.status, unknown.body.errors]).toEqual([
      400,
      [expect.objectContaining({ path: '/serverIds/1', code: 'unknown_server' })],
    ]);
    const succeeded = await rerun({ hosts: 'failed', serverIds: serverIds(4) });
    expect([succeeded.status, succeeded.body.code]).toEqual([409, 'no_failed_hosts']);
  });

  it('has no cause for an unknown result that was found or marked to be successful', async () => {
    const { id } = await lab.run([{ key: 'ready', command: 'true' }]);
    const resolve = async (resolution: string | null) => {
      await lab.runward.database.query(
        `update host_results set status = 'UNKNOWN', code = 'worker_stopped', resolution = $2 where execution_id = $1`,
        [id, resolution],
      );
      return (await read(id)).items.map(({ status, serverIds: ids }) => [status, ids.length]);
    };
    expect(await resolve(null)).toEqual([['UNKNOWN', 4]]);
    expect(await resolve('marked_failed')).toEqual([['UNKNOWN', 4]]);
    for (const resolution of ['found_succeeded', 'marked_succeeded', 'skipped', 'run_again'])
      expect(await resolve(resolution)).toEqual([]);
  });

  it('has a grid with the same results and hosts as its lists', async () => {
    const { id } = await lab.run([
      { key: 'ready', command: 'echo ready' },
      { key: 'last', command: `[ ${HOST} != 2 ]`, targets: 'name in (web-2, web-4)' },
    ]);
    const grid = (await lab.api.get<ResultGridView>(`/api/executions/${id}/results/grid`)).body;
    expect(grid.nextHost).toBeNull();
    const later = await lab.api.get<ResultGridView>(`/api/executions/${id}/results/grid?fromHost=3`);
    expect(later.body.serverIds).toEqual(grid.serverIds.slice(3));
    expect(later.body.results.map((row) => row.map((index) => later.body.cells[index]?.status))).toEqual([
      ['SUCCEEDED', 'SUCCEEDED'],
    ]);
    const page = await lab.api.get<ResultGridView>(`/api/executions/${id}/results/grid?fromHost=1&limit=2`);
    expect(page.body.nextHost).toBe(3);
    expect(page.body.serverIds).toEqual(grid.serverIds.slice(1, 3));
    expect(page.body.durationsMs).toEqual(grid.durationsMs.slice(1, 3));
    expect(page.body.results.map((row) => row.map((index) => page.body.cells[index]))).toEqual(
      grid.results.slice(1, 3).map((row) => row.map((index) => grid.cells[index])),
    );
    const listed = await lab.results(id);
    const cells = grid.results.flatMap((row, host) =>
      row.flatMap((index, step) => {
        const cell = grid.cells[index];
        return cell ? [{ ...cell, serverId: grid.serverIds[host], stepKey: grid.stepKeys[step] }] : [];
      }),
    );
    expect(cells).toHaveLength(6);
    expect(grid.durationsMs).toEqual(Array.from({ length: 4 }, () => expect.any(Number)));
    for (const { serverId, stepKey, ...cell } of cells) {
      const result = listed.find((each) => each.serverId === serverId && each.stepKey === stepKey);
      expect({ ...result, resolution: result?.resolution?.kind ?? null }).toMatchObject(cell);
    }
    const { hosts } = (await lab.api.get<ExecutionView>(`/api/executions/${id}`)).body;
    expect(
      grid.serverIds.map((serverId, index) => ({
        serverId,
        name: grid.serverNames[index],
        address: grid.addresses[index],
        status: grid.hostStatuses[index],
        targetedBy: grid.targetedBy[grid.targets[index] ?? -1],
        tags: grid.tags[grid.hostTags[index] ?? -1],
      })),
    ).toEqual(hosts.map(({ lastStepKey: _, ...host }) => host));
  });

  it('has facts in its grid, for members who can see the servers', async () => {
    const { id, environmentId } = await lab.run(['true']);
    await lab.runward.database.query(
      `update servers set facts = jsonb_build_object('os', case when name = 'web-1' then 'debian' else 'alpine' end, 'hostname', name),
          facts_at = now() where tenant_id = $1 and name <> 'web-4'`,
      [lab.admin.tenantId],
    );
    const factsFor = async (api: RunLab['api']) => {
      const { hostFacts, facts } = (await api.get<ResultGridView>(`/api/executions/${id}/results/grid`)).body;
      return hostFacts.map((index) => facts[index]);
    };
    expect(await factsFor(lab.api)).toEqual([{ os: 'debian' }, { os: 'alpine' }, { os: 'alpine' }, {}]);
    const vault = await lab.api.post<{ id: string }>('/api/environments', { name: 'vault', access: 'restricted' });
    await lab.runward.database.query(`update servers set environment_id = $2 where tenant_id = $1 and name = 'web-1'`, [
      ...[lab.admin.tenantId, vault.body.id],
    ]);
    const operator = await lab.runward.member(lab.admin, 'operator');
    expect(await factsFor(operator.api)).toEqual([{}, { os: 'alpine' }, { os: 'alpine' }, {}]);
    expect(await factsFor(lab.api)).toEqual([{ os: 'debian' }, { os: 'alpine' }, { os: 'alpine' }, {}]);
    await lab.runward.database.query(`update servers set environment_id = $2 where tenant_id = $1 and name = 'web-1'`, [
      ...[lab.admin.tenantId, environmentId],
    ]);
  });
});

describe('a dry run', () => {
  const steps = [
    { key: 'look', command: 'true', readOnly: true },
    {
      key: 'configure',
      command: 'true',
      check: `case ${HOST} in 1) exit 0;; 4) exit 5;; *) exit 1;; esac`,
    },
  ];
  let run: ExecutionView;
  beforeAll(async () => {
    run = await lab.run(steps, { start: { execution_mode: 'dry_run' } });
  });
  const list = async (query: string) =>
    (await lab.api.get<PredictionListView>(`/api/executions/${run.id}/predictions?${query}`)).body;
  const short = ({ items }: PredictionListView) =>
    items.map(({ stepKey, verdict, hostCount, hosts }) => [
      stepKey,
      verdict,
      hostCount,
      hosts.map(({ serverId }) => lab.servers.findIndex(({ id }) => id === serverId) + 1),
    ]);

  it('lists hosts with the same prediction together, the most severe verdict of a step first', async () => {
    const all = await list('');
    expect(short(all)).toEqual([
      ['look', expect.any(String), 4, [1, 2, 3, 4]],
      ['configure', 'CANNOT_PREDICT', 1, [4]],
      ['configure', 'WOULD_CHANGE', 2, [2, 3]],
      ['configure', 'NO_CHANGE', 1, [1]],
    ]);
    expect(all.nextCursor).toBeNull();
    const pages: PredictionListView['items'] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: PredictionListView = await list(`limit=1${cursor && `&cursor=${cursor}`}`);
      expect(page.items).toHaveLength(1);
      pages.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(pages).toEqual(all.items);
  });

  it('filters predictions by step and verdict, and refuses an unknown step', async () => {
    expect(short(await list('verdict=NO_CHANGE&stepKey=configure'))).toEqual([['configure', 'NO_CHANGE', 1, [1]]]);
    expect((await lab.api.get(`/api/executions/${run.id}/predictions?stepKey=none`)).status).toBe(400);
  });
});
