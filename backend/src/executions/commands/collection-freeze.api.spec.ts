import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApprovalLab, startApprovalLab, type SteeringAnswer } from '../../../test/support/approval-lab.js';
import { eventually } from '../../../test/support/eventually.js';
import type { TestWorker } from '../../../test/support/installation.js';
import type { CollectionView } from '../../collections/collections.view.js';
import type { ExecutionView } from '../contract/execution.view.js';

const AHEAD = '2100-01-01T00:00:00.000Z';
const FREEZE = { freeze: { reason: 'Release 4.2 goes out', until: AHEAD } };

let lab: ApprovalLab;
let worker: TestWorker;
let collection: string;
let planId: string;
let file = 0;

beforeAll(async () => {
  lab = await startApprovalLab();
  worker = await lab.runward.worker();
  collection = `/api/collections/${(await lab.api.post<CollectionView>('/api/collections', { name: 'releases' })).body.id}`;
});
beforeEach(async () => {
  await lab.policy({ protected: false });
  file += 1;
  planId = await lab.plan([lab.leaving(`ran-${file}`)], { collectionId: collection.split('/').at(-1) });
});
afterEach(() => lab.api.patch(collection, { freeze: null }));
afterAll(async () => {
  await worker.stop();
  await lab.close();
});

const change = async (body: object): Promise<void> => {
  const { status, text } = await lab.api.patch(collection, body);
  if (status !== 200) throw new Error(`The collection was not changed: ${text}`);
};
const left = () => lab.left(`ran-${file}`);
async function held(): Promise<ExecutionView> {
  await lab.policy({ protected: true, allowSelfApproval: false, requiredApprovals: 1 });
  const run = await lab.waiting(planId);
  await change(FREEZE);
  expect((await lab.approve(run.id)).status).toBe(200);
  return eventually('the run reports why it waits', async () => {
    const now = await lab.get(run.id);
    return now.statusReason && now;
  });
}

describe('while the collection of its plan is frozen', () => {
  it('a start is refused with the reason and the end, a dry run is not', async () => {
    await change(FREEZE);
    const refused = await lab.tryStart(planId, {}, lab.operator.api);
    expect([refused.status, refused.body]).toMatchObject([
      409,
      {
        code: 'collection_frozen',
        detail: `The collection "releases" is frozen until ${AHEAD}: Release 4.2 goes out. Nothing in it starts until then.`,
      },
    ]);
    expect((await lab.settled((await lab.start(planId, { execution_mode: 'dry_run' })).id)).status).toBe('SUCCEEDED');
    expect(await left()).toBe('');
  });

  it('an admin starts with a reason, recorded in run and audit trail; other members cannot', async () => {
    await change(FREEZE);
    const more = { freezeOverride: 'The site is down' };
    expect((await lab.tryStart(planId, more, lab.operator.api)).status).toBe(403);
    const run = await lab.start(planId, more);
    expect(run.freezeOverride).toBe('The site is down');
    expect((await lab.settled(run.id)).status).toBe('SUCCEEDED');
    const { items } = (
      await lab.api.get<{ items: { after: object }[] }>(`/api/audit-logs?action=execution.start&resourceId=${run.id}`)
    ).body;
    expect(items).toMatchObject([{ after: { freezeOverride: 'The site is down' } }]);
  });

  it('a rerun is refused like a start', async () => {
    const { id } = await lab.settled((await lab.start(planId)).id);
    await change(FREEZE);
    for (const snapshot of ['same', 'current']) {
      const refused = await lab.api.post<SteeringAnswer>(`/api/executions/${id}/rerun`, { hosts: 'all', snapshot });
      expect([refused.status, refused.body.code]).toEqual([409, 'collection_frozen']);
    }
    const body = { hosts: 'all', snapshot: 'same', freezeOverride: 'again' };
    expect((await lab.operator.api.post(`/api/executions/${id}/rerun`, body)).status).toBe(403);
    const rerun = await lab.api.post<ExecutionView>(`/api/executions/${id}/rerun`, body);
    expect((await lab.settled(rerun.body.id)).status).toBe('SUCCEEDED');
  });

  it('an approved run waits with a reason and begins when the freeze is lifted', async () => {
    const run = await held();
    expect(run).toMatchObject({ status: 'PENDING', startedAt: null, finished: false });
    expect(run.statusReason).toEqual({
      code: 'collection_frozen',
      text: `The collection "releases" is frozen until ${AHEAD}: Release 4.2 goes out. The run begins then.`,
    });
    expect(await lab.events(run.id)).toContainEqual(expect.stringContaining('execution.status_changed'));
    expect(await left()).toBe('');
    await change({ freeze: null });
    expect(await lab.settled(run.id)).toMatchObject({ status: 'SUCCEEDED', statusReason: null });
    expect(await left()).toBe('ran\n');
  });

  it('an approved run begins when its plan is moved out of the collection', async () => {
    const run = await held();
    expect((await lab.api.patch(`/api/plans/${planId}`, { collectionId: null })).status).toBe(200);
    expect((await lab.settled(run.id)).status).toBe('SUCCEEDED');
  });

  it('an approved run begins when an admin overrides the freeze for this run', async () => {
    const run = await held();
    const path = `/api/executions/${run.id}/freeze-override`;
    const body = { reason: 'Agreed with the release team' };
    expect((await lab.operator.api.post(path, body)).status).toBe(403);
    const overridden = await lab.api.post<SteeringAnswer>(path, body);
    expect([overridden.status, overridden.body.freezeOverride]).toEqual([200, 'Agreed with the release team']);
    expect((await lab.settled(run.id)).status).toBe('SUCCEEDED');
    expect(await lab.trail(run.id)).toContain('execution.override_freeze');
    expect((await lab.api.post<SteeringAnswer>(path, body)).body.code).toBe('already_finished');
  });

  it('a waiting run can be cancelled', async () => {
    const run = await held();
    expect((await lab.api.post(`/api/executions/${run.id}/cancel`)).status).toBe(200);
    expect((await lab.get(run.id)).status).toBe('CANCELLED');
    expect(await left()).toBe('');
  });

  it('a run that has begun continues, also after a pause', async () => {
    const paused = await lab.plan([{ type: 'gate', message: 'go on?' }, lab.leaving(`ran-${file}`)], {
      collectionId: collection.split('/').at(-1),
    });
    const run = await lab.paused((await lab.start(paused)).id);
    await change(FREEZE);
    const body = { stepKey: run.pause?.stepKey, action: 'proceed' };
    expect((await lab.api.post(`/api/executions/${run.id}/decisions`, body)).status).toBe(200);
    expect((await lab.ended(run.id)).status).toBe('SUCCEEDED');
    expect(await left()).toBe('ran\n');
  });

  it('an override is refused for a run that the freeze does not delay', async () => {
    await lab.policy({ protected: true });
    const run = await lab.waiting(planId);
    const refused = await lab.api.post<SteeringAnswer>(`/api/executions/${run.id}/freeze-override`, {
      reason: 'just so',
    });
    expect([refused.status, refused.body.code]).toEqual([409, 'not_frozen']);
    await lab.api.post(`/api/executions/${run.id}/cancel`);
  });
});
