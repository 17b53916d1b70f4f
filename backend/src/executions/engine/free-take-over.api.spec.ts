import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { evidenceIn } from '../../../test/support/evidence.js';
import { freeRuns, HOSTS, NAMES } from '../../../test/support/free-runs.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';

let lab: RunLab;

const { work, workProcess, endWorkers } = labWorkers(() => lab.runward);
const { marks, untilExists, allow } = evidenceIn(() => lab);
const { mark, on, start, results, hasAll, endRemaining } = freeRuns(() => lab);
const expireLeases = async (id: string) => {
  await lab.runward.database.query(`update executions set lease_until = now() - interval '1 second' where id = $1`, [
    id,
  ]);
  await lab.runward.database.query(
    `update execution_slices set lease_until = now() - interval '1 second', created_at = created_at - interval '1 minute'
      where execution_id = $1 and finished_at is null`,
    [id],
  );
};

beforeAll(async () => {
  lab = await startRunLab({ hosts: HOSTS });
});
afterEach(async () => {
  await endRemaining();
  await endWorkers();
});
afterAll(() => lab.close());

describe('a free run', () => {
  const spreadCommands = (name: string): string[] => [
    `${mark(`${name}-1`)}; ${on(1, untilExists(`${name}-go`))}; echo one`,
    `${mark(`${name}-2`)}; ${on(2, untilExists(`${name}-go`))}; echo two`,
    `${mark(`${name}-3`)}; ${on(3, untilExists(`${name}-go`))}; echo three`,
    mark(`${name}-4`),
  ];
  const isSpread = (id: string): Promise<boolean> =>
    hasAll(id, ['step-1 web-1 RUNNING', 'step-2 web-2 RUNNING', 'step-3 web-3 RUNNING']);
  const ranOnce = async (id: string, name: string): Promise<void> => {
    for (const step of [1, 2, 3, 4]) expect((await marks(`${name}-${step}`)).sort()).toEqual(NAMES);
    expect((await lab.results(id)).map(({ attempts }) => attempts)).toEqual(Array.from({ length: 4 * HOSTS }, () => 1));
    const lines = (await lab.lines(id)).map(({ text }) => text).sort();
    expect(lines).toEqual(['one', 'three', 'two'].flatMap((word) => NAMES.map(() => word)));
  };

  it('is cancelled in all of its steps, and starts none afterwards', async () => {
    await work();
    const id = await start(spreadCommands('cancel'));
    await eventually('one is through', async () => (await isSpread(id)) && hasAll(id, ['step-4 web-4 SUCCEEDED']));
    await lab.api.post(`/api/executions/${id}/cancel`, {});
    const run = await lab.settled(id);
    expect(run.status).toBe('CANCELLED');
    expect((await results(id)).filter((each) => !each.endsWith('SUCCEEDED'))).toEqual([
      ...['step-1 web-1 CANCELLED', 'step-2 web-2 CANCELLED', 'step-3 web-3 CANCELLED'],
    ]);
    expect(run.steps.map(({ status }) => status)).toEqual(run.steps.map(() => 'CANCELLED'));
    expect(await marks('cancel-4')).toEqual(['web-4']);
  });

  it('ends at its own time limit in all of its steps', async () => {
    await work();
    const id = await start(spreadCommands('late'), { timeoutSeconds: 4 });
    const run = await lab.settled(id);
    expect(run).toMatchObject({ status: 'TIMED_OUT', statusReason: { code: 'run_timed_out' } });
    expect((await results(id)).filter((each) => !each.endsWith('SUCCEEDED'))).toEqual([
      ...['step-1 web-1 TIMED_OUT', 'step-2 web-2 TIMED_OUT', 'step-3 web-3 TIMED_OUT'],
    ]);
  });

  it('loses nothing when its worker is killed: each host continues from its position', async () => {
    const doomedRun = await workProcess();
    const id = await start(spreadCommands('kill'));
    await eventually('hosts are in three steps', () => isSpread(id));
    await doomedRun.end('SIGKILL');
    await expireLeases(id);
    await work();
    await allow('kill-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    await ranOnce(id, 'kill');
  });

  it('is handed over by a worker that is stopped', async () => {
    const first = await work();
    const id = await start(spreadCommands('drain'));
    await eventually('hosts are in three steps', () => isSpread(id));
    await first.stop();
    await work();
    await allow('drain-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    await ranOnce(id, 'drain');
  });

  it('is shared among workers, each of which continues its hosts', async () => {
    await Promise.all([work({ sliceHosts: 2, runSlots: 1 }), work({ sliceHosts: 2, runSlots: 1 })]);
    const id = await start(spreadCommands('share'));
    await eventually('hosts are in three steps', () => isSpread(id));
    const slices = await lab.runward.database.query<{ owner: string }>(
      'select owner from execution_slices where execution_id = $1',
      [id],
    );
    expect([slices.length, new Set(slices.map(({ owner }) => owner)).size]).toEqual([2, 2]);
    await allow('share-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    await ranOnce(id, 'share');
  });

  it('loses nothing of its slices when a worker is killed', async () => {
    const settings = { RUNWARD_SLICE_HOSTS: '2' };
    const doomedRun = await workProcess(settings);
    const id = await start(spreadCommands('slices'));
    await eventually('hosts are in three steps', () => isSpread(id));
    await doomedRun.end('SIGKILL');
    await expireLeases(id);
    await Promise.all([work({ sliceHosts: 2 }), work({ sliceHosts: 2 })]);
    await allow('slices-go');
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    await ranOnce(id, 'slices');
  });

  it('can be rerun from a step', async () => {
    await work();
    const id = await start([mark('again-1'), mark('again-2'), mark('again-3')]);
    await lab.settled(id);
    const { body } = await lab.api.post<{ id: string }>(`/api/executions/${id}/rerun`, {
      ...{ hosts: 'all', snapshot: 'same', fromStepKey: 'step-2' },
    });
    expect((await lab.settled(body.id)).steps.map(({ status }) => status)).toEqual([
      ...['SKIPPED', 'SUCCEEDED', 'SUCCEEDED'],
    ]);
    expect((await marks('again-1')).sort()).toEqual(NAMES);
    expect((await marks('again-3')).sort()).toEqual(NAMES.flatMap((name) => [name, name]));
  });
});
