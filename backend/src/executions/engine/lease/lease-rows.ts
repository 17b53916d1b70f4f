import type { EntityManager } from 'typeorm';
import { MAY_ACT_SQL, MAY_START_SQL } from '../../../common/installation/installation.sql.js';
import type { ExecutionStatus } from '../../lifecycle/statuses.js';
import type { Fence } from '../../store/fence.js';
import type { RunRef } from '../../record/run-head.js';

/** Lifetime of a lease by the clock of the database, in s. The worker's own clock ends it earlier. */
const LEASE_SECONDS = 20;

const SLICE_EPOCHS = 2 ** 20;

/** Returns the journal generation for a take-over of a run; see `JournalEntries`. */
export const runGeneration = (epoch: number): number => epoch * SLICE_EPOCHS;

export interface ClaimedRow {
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
): Promise<ClaimedRow | 'held' | 'paused' | 'queued' | 'nothing_to_do'> {
  const [rows] = await tx.query<[{ epoch: number; flush_seq: string }[], number]>(
    `update executions set owner = $2, epoch = epoch + 1, lease_until = now() + make_interval(secs => $3)
      where id = $1 and status in ('PENDING', 'RUNNING', 'CANCELLING') and (lease_until is null or lease_until < now())
        and (not_before is null or not_before <= now() or status <> 'PENDING')
        and not exists (select from guard_queue q where q.tenant_id = $4 and q.execution_id = $1)
        and (${MAY_START_SQL} or (${MAY_ACT_SQL} and (status <> 'PENDING' or started_at is not null)))
      returning epoch, flush_seq`,
    [ref.executionId, owner, LEASE_SECONDS, ref.tenantId],
  );
  const [taken] = rows;
  if (taken) {
    return { epoch: taken.epoch, flushes: Number(taken.flush_seq), generation: runGeneration(taken.epoch) };
  }
  const [row] = await tx.query<{ status: ExecutionStatus; held: boolean | null; queued: boolean }[]>(
    `select status, lease_until >= now() as held,
        exists (select from guard_queue q where q.tenant_id = $2 and q.execution_id = $1) as queued
      from executions where id = $1 and finished_at is null`,
    [ref.executionId, ref.tenantId],
  );
  if (row?.status === 'PAUSED') return 'paused';
  if (row?.queued) return 'queued';
  return row?.held ? 'held' : 'nothing_to_do';
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
): Promise<ClaimedRow | 'held' | 'nothing_to_do'> {
  await tx.query(
    `update execution_slices s set finished_at = now() from executions e
      where s.id = $1 and s.finished_at is null and e.id = s.execution_id and e.finished_at is not null`,
    [sliceId],
  );
  const [rows] = await tx.query<[{ epoch: number; flush_seq: string; run_epoch: number }[], number]>(
    `update execution_slices s set owner = $2, epoch = s.epoch + 1, lease_until = now() + make_interval(secs => $3)
      from executions e
      where s.id = $1 and e.id = s.execution_id and e.status in ('RUNNING', 'CANCELLING')
        and s.finished_at is null and (s.lease_until is null or s.lease_until < now()) and ${MAY_ACT_SQL}
      returning s.epoch, s.flush_seq, e.epoch as run_epoch`,
    [sliceId, owner, LEASE_SECONDS],
  );
  const [taken] = rows;
  if (taken) {
    const { epoch, flush_seq: flushes, run_epoch: runEpoch } = taken;
    return { epoch, flushes: Number(flushes), generation: runGeneration(runEpoch) + epoch };
  }
  const held = await tx.query<unknown[]>('select 1 from execution_slices where id = $1 and finished_at is null', [
    sliceId,
  ]);
  return held.length > 0 ? 'held' : 'nothing_to_do';
}

export async function renewLease(tx: EntityManager, ref: RunRef, fence: Fence): Promise<LeaseStatus | null> {
  const [rows] = await (fence.sliceId
    ? tx.query<[LeaseStatus[], number]>(
        `update execution_slices s set lease_until = now() + make_interval(secs => $4) from executions e
          where s.id = $1 and s.owner = $2 and s.epoch = $3 and s.finished_at is null
            and e.id = s.execution_id and e.finished_at is null
          returning e.status, e.stop_cause as "stopCause"`,
        [fence.sliceId, fence.owner, fence.epoch, LEASE_SECONDS],
      )
    : tx.query<[LeaseStatus[], number]>(
        `update executions set lease_until = now() + make_interval(secs => $4)
          where id = $1 and owner = $2 and epoch = $3 returning status, stop_cause as "stopCause"`,
        [ref.executionId, fence.owner, fence.epoch, LEASE_SECONDS],
      ));
  return rows[0] ?? null;
}

/** Ends the lease now, so that the next owner can claim it immediately. @returns whether the lease was valid */
export async function endLease(tx: EntityManager, ref: RunRef, fence: Fence): Promise<boolean> {
  const table = fence.sliceId ? 'execution_slices' : 'executions';
  const [, count] = await tx.query<[unknown[], number]>(
    `update ${table} set lease_until = now() where id = $1 and owner = $2 and epoch = $3`,
    [fence.sliceId ?? ref.executionId, fence.owner, fence.epoch],
  );
  return count > 0;
}
