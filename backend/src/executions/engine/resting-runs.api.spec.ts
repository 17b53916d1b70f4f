import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type LabPlan, type LabStep, type RunLab, startRunLab } from '../../../test/support/run-lab.js';

const HOUR = 3_600;

let lab: RunLab;

beforeAll(async () => {
  lab = await startRunLab({
    hosts: 4,
    settings: { RUNWARD_RUN_SLOTS: '1', RUNWARD_SLICE_HOSTS: '1', RUNWARD_HOST_SLOTS: '20' },
  });
  await lab.runward.worker();
});
afterAll(() => lab.close());

async function start(steps: LabStep[], more: LabPlan): Promise<string> {
  return (await lab.start(await lab.plan(steps, { parallelSafe: true, ...more }))).id;
}

async function cancel(id: string): Promise<void> {
  await lab.api.post(`/api/executions/${id}/cancel`);
  expect((await lab.settled(id, 30)).status).toBe('CANCELLED');
}

const RETRIED = { key: 'retried', command: 'exit 1', retries: { count: 1, delaySeconds: HOUR } };
const untilRetried = (id: string, hosts: number) =>
  eventually('all hosts wait for their next attempt', async () => {
    const results = await lab.results(id);
    return results.filter(({ status, attempts }) => status === 'PENDING' && attempts === 1).length === hosts;
  });

describe('a waiting run', () => {
  it('does not keep its worker from other runs while it waits for a retry, and is cancelled immediately', async () => {
    const id = await start([RETRIED], { targets: 'name=web-1' });
    await untilRetried(id, 1);
    const other = await start([{ key: 'else', command: 'true' }], { targets: 'name=web-2' });
    expect((await lab.settled(other, 30)).status).toBe('SUCCEEDED');
    expect((await lab.get(id)).status).toBe('RUNNING');
    await cancel(id);
  });

  it('does not keep its worker from other runs while it waits for a port', async () => {
    const port: LabStep = { key: 'port', type: 'wait', port: 1, timeoutSeconds: HOUR };
    const id = await start([port], { targets: 'name=web-1' });
    const other = await start([{ key: 'else', command: 'true' }], { targets: 'name=web-2' });
    expect((await lab.settled(other, 30)).status).toBe('SUCCEEDED');
    await cancel(id);
  });

  it('does not keep its workers from other slices while its slices wait for retries', async () => {
    const id = await start([RETRIED], { targets: 'name in (web-1, web-2)' });
    await untilRetried(id, 2);
    const other = await start([{ key: 'else', command: 'true' }], { targets: 'name in (web-3, web-4)' });
    expect((await lab.settled(other, 50)).status).toBe('SUCCEEDED');
    await cancel(id);
  });

  it('does not keep its workers from other slices while its slices wait for their last commands', async () => {
    const id = await start([{ key: 'slow', command: 'sleep 300' }], { targets: 'name in (web-1, web-2)' });
    await eventually('a command runs', async () => (await lab.results(id)).some(({ status }) => status === 'RUNNING'));
    const other = await start([{ key: 'else', command: 'true' }], { targets: 'name in (web-3, web-4)' });
    expect((await lab.settled(other, 50)).status).toBe('SUCCEEDED');
    await cancel(id);
  });
});
