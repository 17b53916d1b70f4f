import type { EntityManager } from 'typeorm';
import { affected, row, sql } from '../../../common/database/sql.js';
import { MAY_ACT_SQL, MAY_START_SQL } from '../../../common/installation/installation.sql.js';
import type { ExecutionStatus } from '../../lifecycle/statuses.js';
import type { OwnershipFence } from '../../store/fence.js';
import type { RunRef } from '../../record/run-head.js';

/** Lifetime of a lease by the clock of the database, in s. The worker's own clock ends it earlier. */
const LEASE_SECONDS = 20;

const MAX_SLICE_EPOCHS = 2 ** 20;

/** Returns the journal generation for a take-over of a run; see `JournalEntries`. */
export const toRunGeneration = (epoch: number): number => epoch * MAX_SLICE_EPOCHS;

export interface ClaimedLeaseRow {
  epoch: number;
  flushes: number;
  generation: number;
}

export interface LeaseStatus {
  status: ExecutionStatus;
  stopCause: 'cancel' | 'deadline' | null;
}

export async function claimRun(
  tx: EntityManager,
  ref: RunRef,
  owner: string,
): Promise<ClaimedLeaseRow | 'held' | 'paused' | 'queued' | 'nothing_to_do'> {
  const taken = await row(
    tx,
    sql<{ epoch: number; flush_seq: string }>`update executions set owner = ${owner}, epoch = epoch + 1,
        lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
      where id = ${ref.executionId} and status in ('PENDING', 'RUNNING', 'CANCELLING') and (lease_until is null or lease_until < now())
        and (not_before is null or not_before <= now() or status <> 'PENDING')
        and not exists (select from guard_queue q where q.tenant_id = ${ref.tenantId} and q.execution_id = ${ref.executionId})
        and (${MAY_START_SQL} or (${MAY_ACT_SQL} and (status <> 'PENDING' or started_at is not null)))
      returning epoch, flush_seq`,
  );
  if (taken) {
    return { epoch: taken.epoch, flushes: Number(taken.flush_seq), generation: toRunGeneration(taken.epoch) };
  }
  const run = await row(
    tx,
    sql<{ status: ExecutionStatus; held: boolean | null; queued: boolean }>`select status, lease_until >= now() as held,
        exists (select from guard_queue q
          where q.tenant_id = ${ref.tenantId} and q.execution_id = ${ref.executionId}) as queued
      from executions where id = ${ref.executionId} and finished_at is null`,
  );
  if (run?.status === 'PAUSED') return 'paused';
  if (run?.queued) return 'queued';
  return run?.held ? 'held' : 'nothing_to_do';
}

/**
 * Claims a slice without a valid lease. If its run is over, closes the slice instead; if its run is paused, the slice
 * waits too.
 */
export async function claimSlice(
  tx: EntityManager,
  ref: RunRef,
  sliceId: string,
  owner: string,
): Promise<ClaimedLeaseRow | 'held' | 'nothing_to_do'> {
  await affected(
    tx,
    sql`update execution_slices s set finished_at = now() from executions e
      where s.id = ${sliceId} and s.finished_at is null and e.id = s.execution_id and e.finished_at is not null`,
  );
  const taken = await row(
    tx,
    sql<{ epoch: number; flush_seq: string; run_epoch: number }>`update execution_slices s set owner = ${owner},
        epoch = s.epoch + 1, lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
      from executions e
      where s.id = ${sliceId} and e.id = s.execution_id and e.status in ('RUNNING', 'CANCELLING')
        and s.finished_at is null and (s.lease_until is null or s.lease_until < now()) and ${MAY_ACT_SQL}
      returning s.epoch, s.flush_seq, e.epoch as run_epoch`,
  );
  if (taken) {
    const { epoch, flush_seq: flushes, run_epoch: runEpoch } = taken;
    return { epoch, flushes: Number(flushes), generation: toRunGeneration(runEpoch) + epoch };
  }
  const held = await row(tx, sql`select 1 from execution_slices where id = ${sliceId} and finished_at is null`);
  return held ? 'held' : 'nothing_to_do';
}

export async function renewLease(tx: EntityManager, ref: RunRef, fence: OwnershipFence): Promise<LeaseStatus | null> {
  const { owner, epoch, sliceId } = fence;
  const renewed = await row(
    tx,
    sliceId
      ? sql<LeaseStatus>`update execution_slices s set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
          from executions e
          where s.id = ${sliceId} and s.owner = ${owner} and s.epoch = ${epoch} and s.finished_at is null
            and e.id = s.execution_id and e.finished_at is null
          returning e.status, e.stop_cause as "stopCause"`
      : sql<LeaseStatus>`update executions set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
          where id = ${ref.executionId} and owner = ${owner} and epoch = ${epoch}
          returning status, stop_cause as "stopCause"`,
  );
  return renewed ?? null;
}

/** Ends the lease now, so that the next owner can claim it immediately. @returns whether the lease was valid */
export async function endLease(tx: EntityManager, ref: RunRef, fence: OwnershipFence): Promise<boolean> {
  const table = fence.sliceId ? sql`execution_slices` : sql`executions`;
  const count = await affected(
    tx,
    sql`update ${table} set lease_until = now()
      where id = ${fence.sliceId ?? ref.executionId} and owner = ${fence.owner} and epoch = ${fence.epoch}`,
  );
  return count > 0;
}
