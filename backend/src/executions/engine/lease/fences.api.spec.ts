import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { made, makeScene } from '../../../../test/support/environment-scene.js';
import { type Installation, startInstallation } from '../../../../test/support/installation.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { newId } from '../../../common/ids.js';
import type { RunRef } from '../../record/run-head.js';
import { type OwnershipFence, OwnershipLostError } from '../../store/fence.js';
import { RunStore } from '../../store/run-store.js';
import { storeProgress } from '../progress/progress-rows.js';
import { closeUnstartedSlices, finishSlice, createSlices, stopSlices } from '../worker/slice-rows.js';
import { claimRun, claimSlice, endLease, renewLease } from './lease-rows.js';

const EPOCH = 3;
const SEGMENT = { from: 0, to: 0 };
const [sliceId, waitingSliceId, serverId] = [newId(), newId(), newId()];

let runward: Installation;
let ref: RunRef;

beforeAll(async () => {
  runward = await startInstallation();
  const admin = await runward.tenant('acme');
  const { planId, serverId: server } = await makeScene(admin.api, { name: 'live' });
  const executionId = await made(admin.api.post('/api/executions', { planId, execution_mode: 'auto' }));
  ref = { tenantId: admin.tenantId, executionId };
  const { database } = runward;
  const lease = `lease_until = now() + interval '1 hour'`;
  await database.query(
    `update executions set status = 'RUNNING', started_at = now(), owner = 'worker', epoch = $2, ${lease} where id = $1`,
    [executionId, EPOCH],
  );
  await database.query(`update execution_steps set status = 'RUNNING', started_at = now() where execution_id = $1`, [
    executionId,
  ]);
  await database.query(
    `insert into host_results (tenant_id, execution_id, step_index, server_id, status) values ($1, $2, 0, $3, 'PENDING')`,
    [ref.tenantId, executionId, server],
  );
  const slice = (id: string, of: string, owner: string | null) =>
    database.query(
      `insert into execution_slices (id, tenant_id, execution_id, step_index, last_step, server_ids, owner, epoch, lease_until)
        values ($1, $2, $3, 0, 0, $4, $5, $6, case when $5::text is null then null else now() + interval '1 hour' end)`,
      [id, ref.tenantId, executionId, [of], owner, EPOCH],
    );
  await slice(sliceId, server, 'worker');
  await slice(waitingSliceId, serverId, null);
});
afterAll(() => runward.close());

class RollbackError extends Error {
  constructor(readonly seen: { refused: boolean; changed: boolean }) {
    super('The transaction is undone.');
  }
}

const rowsOf = (tx: EntityManager) =>
  Promise.all(
    ['executions where id = $1', 'execution_slices where execution_id = $1', 'host_results where execution_id = $1']
      .map((from) => `select * from ${from} order by 1, 2`)
      .map((sql) => tx.query<object[]>(sql, [ref.executionId])),
  );

/** Tries a write and rolls it back. Returns whether it was refused, and whether it would change anything. */
async function tried(write: (tx: EntityManager) => Promise<unknown>): Promise<RollbackError['seen']> {
  const runAndRollBack = await runward.app
    .get(UnitOfWork)
    .run(ref.tenantId, async (tx) => {
      const before = await rowsOf(tx);
      const result = await write(tx).catch((error: unknown) => {
        if (error instanceof OwnershipLostError) return false;
        throw error;
      });
      const changed = JSON.stringify(before) !== JSON.stringify(await rowsOf(tx));
      throw new RollbackError({ refused: result === false || result === null, changed });
    })
    .catch((error: unknown) => error);
  if (!(runAndRollBack instanceof RollbackError)) throw runAndRollBack;
  return runAndRollBack.seen;
}

type Write = (tx: EntityManager, fence: OwnershipFence) => Promise<unknown>;

const progress: Write = async (tx, fence) => {
  const [{ id = '' } = {}] = await tx.query<{ id: string }[]>(
    'select server_id as id from host_results where execution_id = $1',
    [ref.executionId],
  );
  const changes = [{ serverId: id, kind: 'connecting' as const }];
  await storeProgress(tx, ref, fence, { stepIndex: 0, stepKey: 'one', changes, output: [], counts: {}, flush: 1 });
};
const ENGINE = { kind: 'system', name: 'engine' } as const;
const transition: Write = (tx, fence) =>
  runward.app
    .get(RunStore)
    .applyTransitionIn(tx, ref, fence, { ...ENGINE, tenantId: ref.tenantId }, { type: 'deadline_passed' });

const RUN_WRITES: [string, Write][] = [
  ['the renewal of its lease', (tx, fence) => renewLease(tx, ref, fence)],
  ['the end of its lease', (tx, fence) => endLease(tx, ref, fence)],
  ['progress of hosts', progress],
  ['a decision', transition],
  [
    'new slices',
    (tx, fence) => createSlices(tx, ref, fence, { segment: SEGMENT, serverIds: [newId()], sliceHosts: 1 }),
  ],
  ['the end of slices that were not begun', (tx, fence) => closeUnstartedSlices(tx, ref, fence, SEGMENT)],
  ['the word to its slices that its time is over', (tx, fence) => stopSlices(tx, ref, fence)],
];
const SLICE_WRITES: [string, Write][] = [
  ['the renewal of its lease', (tx, fence) => renewLease(tx, ref, fence)],
  ['the end of its lease', (tx, fence) => endLease(tx, ref, fence)],
  ['progress of hosts', progress],
  ['its end', (tx, fence) => finishSlice(tx, ref, fence, null)],
];
const STALE_FENCES: [string, Partial<OwnershipFence>][] = [
  ['an older epoch of the same owner', { epoch: EPOCH - 1 }],
  ['a later epoch of the same owner', { epoch: EPOCH + 1 }],
  ['another owner of the same epoch', { owner: 'other' }],
];

describe.each([
  ['a run', undefined, RUN_WRITES],
  ['a slice', sliceId, SLICE_WRITES],
] as const)('a write of %s', (_, slice, writes) => {
  const fence: OwnershipFence = { owner: 'worker', epoch: EPOCH, ...(slice === undefined ? {} : { sliceId: slice }) };

  it.each(writes)('changes nothing unless it carries the current owner and epoch: %s', async (_name, write) => {
    for (const [whose, stale] of STALE_FENCES)
      expect({ whose, ...(await tried((tx) => write(tx, { ...fence, ...stale }))) }).toMatchObject({
        whose,
        changed: false,
      });
    expect(await tried((tx) => write(tx, fence))).toEqual({ refused: false, changed: true });
  });
});

describe('a claim', () => {
  const claims: [string, (tx: EntityManager, owner: string) => Promise<unknown>, string][] = [
    ['a run', (tx, owner) => claimRun(tx, ref, owner), 'executions where id = $1'],
    ['a slice', (tx, owner) => claimSlice(tx, ref, sliceId, owner), 'execution_slices where execution_id = $1'],
  ];

  it.each(claims)(
    'of %s takes nothing while its lease is valid, even for the same owner; then it takes a new epoch',
    async (_, claim, from) => {
      for (const owner of ['other', 'worker']) {
        const outcomes: unknown[] = [];
        expect(await tried(async (tx) => outcomes.push(await claim(tx, owner)))).toMatchObject({ changed: false });
        expect(outcomes).toEqual(['held']);
        expect(
          await tried(async (tx) => {
            await tx.query(`update ${from.replace(' where', ` set lease_until = now() - interval '1 second' where`)}`, [
              ref.executionId,
            ]);
            outcomes.push(await claim(tx, owner));
          }),
        ).toMatchObject({ changed: true });
        expect(outcomes[1]).toMatchObject({ epoch: EPOCH + 1 });
      }
    },
  );
});
