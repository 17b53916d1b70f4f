import type { EntityManager } from 'typeorm';
import { newId } from '../../common/ids.js';
import { CHANNELS } from '../../common/notify/notifications.js';
import { type Fence, OwnershipLost, type RunRef } from '../run-store.js';

/** A part of a step's hosts. */
export interface Slice {
  stepIndex: number;
  /** Hosts of it that have no result yet. */
  serverIds: string[];
}

/**
 * Shares hosts of a step out among slices: those that are in an unfinished slice stay there, the rest gets new ones.
 * @returns ids of the new slices
 * @throws OwnershipLost
 */
export async function shareOut(
  tx: EntityManager,
  ref: RunRef,
  fence: Fence,
  { stepIndex, serverIds, sliceHosts }: { stepIndex: number; serverIds: readonly string[]; sliceHosts: number },
): Promise<string[]> {
  const owned = await tx.query<unknown[]>(
    'select 1 from executions where id = $1 and owner = $2 and epoch = $3 for update',
    [ref.executionId, fence.owner, fence.epoch],
  );
  if (owned.length === 0) throw new OwnershipLost();
  const taken = await tx.query<{ id: string }[]>(
    'select unnest(server_ids) as id from execution_slices where execution_id = $1 and step_index = $2 and finished_at is null',
    [ref.executionId, stepIndex],
  );
  const inSlice = new Set(taken.map(({ id }) => id));
  const rest = serverIds.filter((id) => !inSlice.has(id));
  const ids: string[] = [];
  for (let from = 0; from < rest.length; from += sliceHosts) {
    const id = newId();
    ids.push(id);
    await tx.query(
      'insert into execution_slices (id, tenant_id, execution_id, step_index, server_ids) values ($1, $2, $3, $4, $5)',
      [id, ref.tenantId, ref.executionId, stepIndex, rest.slice(from, from + sliceHosts)],
    );
  }
  return ids;
}

/** Slices of the step that are not finished, and the fault of one that failed. */
export async function openSlices(
  tx: EntityManager,
  ref: RunRef,
  stepIndex: number,
): Promise<{ open: number; fault: string | null }> {
  const [row] = await tx.query<{ open: number; fault: string | null }[]>(
    `select count(*) filter (where finished_at is null)::int as open, max(fault) as fault
      from execution_slices where execution_id = $1 and step_index = $2`,
    [ref.executionId, stepIndex],
  );
  return row ?? { open: 0, fault: null };
}

/** What is left to do in a slice; null when it is gone. */
export async function loadSlice(tx: EntityManager, sliceId: string): Promise<Slice | null> {
  const [row] = await tx.query<{ step_index: number; server_ids: string[] }[]>(
    `select s.step_index, array(select r.server_id from host_results r
        where r.execution_id = s.execution_id and r.step_index = s.step_index and r.server_id = any (s.server_ids)
          and r.status in ('PENDING', 'CONNECTING', 'RUNNING')) as server_ids
      from execution_slices s where s.id = $1`,
    [sliceId],
  );
  return row ? { stepIndex: row.step_index, serverIds: row.server_ids } : null;
}

/** Every host of the slice has a result, or a fault ended it; the driver of the run hears of it. @throws OwnershipLost */
export async function finishSlice(tx: EntityManager, ref: RunRef, fence: Fence, fault: string | null): Promise<void> {
  const [, count] = await tx.query<[unknown[], number]>(
    `update execution_slices set finished_at = now(), lease_until = null, fault = $4
      where id = $1 and owner = $2 and epoch = $3 and finished_at is null`,
    [fence.sliceId, fence.owner, fence.epoch, fault],
  );
  if (count === 0) throw new OwnershipLost();
  await tx.query('select pg_notify($1, $2)', [CHANNELS.executionChanged, ref.executionId]);
}

/** Closes slices of a run that is to stop, which no worker has taken and in which nothing was sent yet. */
export async function closeUnbegun(tx: EntityManager, ref: RunRef, fence: Fence, stepIndex: number): Promise<void> {
  await tx.query(
    `update execution_slices s set finished_at = now()
      where s.execution_id = $1 and s.step_index = $2 and s.owner is null and s.finished_at is null
        and exists (select 1 from executions e where e.id = $1 and e.owner = $3 and e.epoch = $4)
        and not exists (select 1 from host_results r where r.execution_id = $1 and r.step_index = $2
          and r.server_id = any (s.server_ids) and r.dispatch_id is not null)`,
    [ref.executionId, stepIndex, fence.owner, fence.epoch],
  );
}

/** Tells the workers of the run's slices that its time is over. */
export async function stopSlices(tx: EntityManager, ref: RunRef, fence: Fence): Promise<void> {
  const [, count] = await tx.query<[unknown[], number]>(
    `update executions set stop_cause = 'deadline' where id = $1 and owner = $2 and epoch = $3`,
    [ref.executionId, fence.owner, fence.epoch],
  );
  if (count > 0) await tx.query('select pg_notify($1, $2)', [CHANNELS.executionControl, ref.executionId]);
}
