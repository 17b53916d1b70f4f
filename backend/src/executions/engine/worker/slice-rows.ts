import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql, type Sql } from '../../../common/database/sql.js';
import { newId } from '../../../common/ids.js';
import { CHANNELS } from '../../../common/database/notifications.js';
import type { StepSegment } from '../../lifecycle/segment.js';
import { type OwnershipFence, OwnershipLostError } from '../../store/fence.js';
import type { RunRef } from '../../record/run-head.js';

/** Subset of the hosts of a step, or of a segment in which hosts advance independently. */
export interface Slice {
  serverIds: string[];
  segment: StepSegment;
  free: boolean;
  open: { index: number; hosts: string[] }[];
}

/**
 * Condition for slices that overlap the segment. A mode change may have enlarged the segment since the slice was
 * created.
 */
const isInSegmentSql = ({ from, to }: StepSegment): Sql =>
  sql`step_index <= ${to} and coalesce(last_step, step_index) >= ${from}`;

/**
 * Distributes the hosts of a segment to slices. Hosts in an unfinished slice stay there; all others get new slices.
 * @returns IDs of the new slices
 * @throws OwnershipLostError
 */
export async function createSlices(
  tx: EntityManager,
  ref: RunRef,
  fence: OwnershipFence,
  { segment, serverIds, sliceHosts }: { segment: StepSegment; serverIds: readonly string[]; sliceHosts: number },
): Promise<string[]> {
  const owned = await row(
    tx,
    sql`select 1 from executions
      where id = ${ref.executionId} and owner = ${fence.owner} and epoch = ${fence.epoch} for update`,
  );
  if (!owned) throw new OwnershipLostError();
  const taken = await rows(
    tx,
    sql<{ id: string }>`select unnest(server_ids) as id from execution_slices
      where execution_id = ${ref.executionId} and ${isInSegmentSql(segment)} and finished_at is null`,
  );
  const inSlice = new Set(taken.map(({ id }) => id));
  const rest = serverIds.filter((id) => !inSlice.has(id));
  const ids: string[] = [];
  for (let from = 0; from < rest.length; from += sliceHosts) {
    const id = newId();
    ids.push(id);
    await affected(
      tx,
      sql`insert into execution_slices (id, tenant_id, execution_id, step_index, last_step, server_ids)
        values (${id}, ${ref.tenantId}, ${ref.executionId}, ${segment.from}, ${segment.to},
          ${rest.slice(from, from + sliceHosts)})`,
    );
  }
  return ids;
}

export async function countOpenSlices(
  tx: EntityManager,
  ref: RunRef,
  segment: StepSegment,
): Promise<{ open: number; fault: string | null }> {
  const found = await row(
    tx,
    sql<{ open: number; fault: string | null }>`
      select count(*) filter (where finished_at is null)::int as open, max(fault) as fault
        from execution_slices where execution_id = ${ref.executionId} and ${isInSegmentSql(segment)}`,
  );
  return found ?? { open: 0, fault: null };
}

/** Loads the remaining work of a slice; null: the slice was deleted. */
export async function loadSlice(tx: EntityManager, sliceId: string): Promise<Slice | null> {
  const slice = await row(
    tx,
    sql<{
      server_ids: string[];
      from: number;
      to: number;
      free: boolean;
    }>`select s.server_ids, s.step_index as "from", coalesce(s.last_step, s.step_index) as "to", coalesce(e.snapshot->'plan'->>'strategy' = 'free', false) as free
      from execution_slices s join executions e on e.id = s.execution_id where s.id = ${sliceId}`,
  );
  if (!slice) return null;
  const open = await rows(
    tx,
    sql<Slice['open'][number]>`select r.step_index as index, array_agg(r.server_id) as hosts
      from execution_slices s join host_results r on r.execution_id = s.execution_id
        and r.step_index between s.step_index and coalesce(s.last_step, s.step_index) and r.server_id = any (s.server_ids)
      where s.id = ${sliceId} and r.status in ('PENDING', 'CONNECTING', 'RUNNING')
      group by r.step_index order by r.step_index`,
  );
  const { server_ids: serverIds, from, to, free } = slice;
  return { serverIds, segment: { from, to }, free, open };
}

/** Ends a slice that failed or whose hosts all have results. Notifies the driver of the run. @throws OwnershipLostError */
export async function finishSlice(
  tx: EntityManager,
  ref: RunRef,
  fence: OwnershipFence,
  fault: string | null,
): Promise<void> {
  const count = await affected(
    tx,
    sql`update execution_slices set finished_at = now(), lease_until = null, fault = ${fault}
      where id = ${fence.sliceId} and owner = ${fence.owner} and epoch = ${fence.epoch} and finished_at is null`,
  );
  if (count === 0) throw new OwnershipLostError();
  await row(tx, sql`select pg_notify(${CHANNELS.sliceEnded}, ${ref.executionId})`);
}

/** Closes the slices of a stopping run that no worker has claimed and that have no open command. */
export async function closeUnstartedSlices(
  tx: EntityManager,
  ref: RunRef,
  fence: OwnershipFence,
  segment: StepSegment,
): Promise<void> {
  const { executionId } = ref;
  await affected(
    tx,
    sql`update execution_slices s set finished_at = now()
      where s.execution_id = ${executionId} and ${isInSegmentSql(segment)} and s.owner is null and s.finished_at is null
        and exists (select 1 from executions e
          where e.id = ${executionId} and e.owner = ${fence.owner} and e.epoch = ${fence.epoch})
        and not exists (select 1 from host_results r
          where r.execution_id = ${executionId} and r.step_index between ${segment.from} and ${segment.to}
          and r.server_id = any (s.server_ids) and r.dispatch_id is not null
          and r.status in ('PENDING', 'CONNECTING', 'RUNNING'))`,
  );
}

/** Notifies the workers of the run's slices that the run's time limit has passed. */
export async function stopSlices(tx: EntityManager, ref: RunRef, fence: OwnershipFence): Promise<void> {
  const count = await affected(
    tx,
    sql`update executions set stop_cause = 'deadline'
      where id = ${ref.executionId} and owner = ${fence.owner} and epoch = ${fence.epoch}`,
  );
  if (count > 0) await row(tx, sql`select pg_notify(${CHANNELS.executionControl}, ${ref.executionId})`);
}
