import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { startWorkerProcess, type WorkerProcess } from '../../../test/support/worker-process.js';
import type { ExecutionSummaryView } from '../contract/execution.view.js';

let lab: RunLab;
let worker: WorkerProcess | null = null;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
});
afterAll(async () => {
  await worker?.end('SIGKILL');
  await lab?.close();
});

describe('the status reason of a run', () => {
  it('is no_worker while none lives, in the run and in lists', async () => {
    const { id } = await lab.start(await lab.plan(['true'], { parallelSafe: true }));
    const reason = { code: 'no_worker', text: expect.stringContaining('start a worker') };
    expect(await lab.get(id)).toMatchObject({ status: 'PENDING', statusReason: reason });
    const list = await lab.api.get<{ items: ExecutionSummaryView[] }>('/api/executions');
    expect(list.body.items.find((run) => run.id === id)?.statusReason).toMatchObject({ code: 'no_worker' });
    worker = await startWorkerProcess(lab.runward, { RUNWARD_RUN_SLOTS: '1' });
    expect(await lab.settled(id)).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
  });

  it('is no_free_slot with the place in the queue while all slots are in use', async () => {
    const blocking = await lab.start(
      await lab.plan([`touch ${lab.evidence}/begun; until [ -e ${lab.evidence}/go ]; do sleep 0.05; done`], {
        targets: 'name=web-1',
      }),
    );
    await eventually('it runs', async () => (await lab.get(blocking.id)).status === 'RUNNING');
    const first = await lab.start(await lab.plan(['true'], { targets: 'name=web-2' }));
    const second = await lab.start(await lab.plan(['true'], { targets: 'name=web-3' }));
    const place = async (id: string) => (await lab.get(id)).statusReason?.text.match(/: (\d+)\.$/)?.[1];
    await eventually('both wait for a slot', async () => (await lab.get(second.id)).statusReason !== null);
    expect((await lab.get(first.id)).statusReason?.code).toBe('no_free_slot');
    expect([await place(first.id), await place(second.id)]).toEqual(['1', '2']);
    expect((await lab.get(blocking.id)).statusReason).toBeNull();
    await writeFile(join(lab.evidence, 'go'), '');
    for (const { id } of [blocking, first, second])
      expect(await lab.settled(id)).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
  });
});
