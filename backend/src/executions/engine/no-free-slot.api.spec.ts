import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type LabPlan, type RunLab, startRunLab } from '../../../test/support/run-lab.js';

let lab: RunLab;
let busyId: string;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2, settings: { RUNWARD_HOST_SLOTS: '1' } });
  await lab.runward.worker();
  const busy = await lab.plan([`echo up >> ${lab.evidence}/busy; sleep 300`], { targets: 'name=web-1' });
  busyId = (await lab.start(busy)).id;
  await eventually('the slot is taken', async () => (await lab.left('busy')) !== '');
});
afterEach(async () => expect((await lab.get(busyId)).status).toBe('RUNNING'));
afterAll(async () => {
  await lab.api.post(`/api/executions/${busyId}/cancel`);
  await lab.settled(busyId);
  await lab.close();
});

/** Starts a run that has begun its step on the other host, and whose host waits for a slot. */
async function waiting(more: LabPlan, start: Record<string, unknown> = {}): Promise<string> {
  const planId = await lab.plan([`echo ran >> ${lab.evidence}/waiting`], { targets: 'name=web-2', ...more });
  const { id } = await lab.start(planId, start);
  await eventually('it has begun', async () => (await lab.get(id)).status === 'RUNNING');
  return id;
}

describe('a run whose hosts wait for a slot', () => {
  it.each(['auto', 'dry_run'])('is cancelled without further waiting: %s', async (execution_mode) => {
    const id = await waiting({}, { execution_mode });
    await lab.api.post(`/api/executions/${id}/cancel`);
    const run = await lab.settled(id, 15);
    expect(run).toMatchObject({ status: 'CANCELLED' });
    expect((await lab.results(id))[0]).toMatchObject({
      status: 'CANCELLED',
      reason: { code: 'cancelled' },
      attempts: 0,
    });
    expect(await lab.left('waiting')).toBe('');
  });

  it('ends when its own time limit has passed', async () => {
    const run = await lab.settled(await waiting({ timeoutSeconds: 2 }), 15);
    expect(run).toMatchObject({ status: 'TIMED_OUT', statusReason: { code: 'run_timed_out' } });
    expect(await lab.left('waiting')).toBe('');
  });
});
