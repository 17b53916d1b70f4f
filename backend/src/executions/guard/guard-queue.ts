import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql, type Sql } from '../../common/database/sql.js';
import type { JobQueue } from '../../common/queue/job-queue.js';
import type { RunRef } from '../record/run-head.js';

/**
 * Advisory lock for the guard queue of a tenant. A run that starts to wait takes it exclusively; a run that releases
 * keys takes it shared. Both take it after the run's own row and before any key. Without it, a run could start to wait
 * for a key while the key's holder releases the key without seeing the waiting run. A start with `onOverlap: refuse`
 * never takes it.
 */
const queueLockKeySql = (tenantId: string): Sql => sql`hashtextextended('guard ' || ${tenantId}, 0)`;

/** Locks the queue until the transaction ends. While it is locked, no other run of the tenant starts to wait or releases keys. */
export const lockQueueExclusively = (tx: EntityManager, tenantId: string): Promise<unknown> =>
  row(tx, sql`select pg_advisory_xact_lock(${queueLockKeySql(tenantId)})`);

/** Takes the queue lock as shared until the transaction ends. While it is locked, no run starts to wait. */
const lockQueueShared = (tx: EntityManager, tenantId: string): Promise<unknown> =>
  row(tx, sql`select pg_advisory_xact_lock_shared(${queueLockKeySql(tenantId)})`);

/**
 * Query for the first waiting run of each key in the relation `left`, except the run itself. Only these runs can get the
 * keys: later runs in the queue wait for the first one.
 */
const selectFirstWaitingSql = (
  left: Sql,
  { tenantId, executionId }: RunRef,
): Sql => sql`select distinct execution_id from (
    select distinct on (o.key) o.execution_id from ${left} l
      join guard_waits o on o.tenant_id = ${tenantId} and o.key = l.key and o.execution_id <> ${executionId}
      join guard_queue q on q.tenant_id = ${tenantId} and q.execution_id = o.execution_id
      where q.arrival is not null order by o.key, q.arrival) first`;

const selectRequestedKeysSql = ({ tenantId, executionId }: RunRef): Sql =>
  sql`(select key from guard_waits where tenant_id = ${tenantId} and execution_id = ${executionId})`;

interface WokenRun {
  execution_id: string;
}

/** Each run then checks its keys in its own transaction. */
async function wakeRuns(
  tx: EntityManager,
  queue: JobQueue,
  tenantId: string,
  woken: readonly WokenRun[],
): Promise<void> {
  for (const { execution_id: executionId } of woken) await queue.enqueueAdvanceRun(tx, { tenantId, executionId });
}

/**
 * Releases the keys of an ended run, or of one of its hosts. Removes the run from the queue and wakes the runs that
 * wait for these keys.
 * @param keptKeys keys that the run keeps
 */
export async function releaseGuardKeys(
  tx: EntityManager,
  queue: JobQueue,
  ref: RunRef,
  keptKeys: readonly string[],
): Promise<void> {
  const { tenantId, executionId } = ref;
  const [, woken] = await Promise.all([
    lockQueueShared(tx, tenantId),
    rows(
      tx,
      sql<WokenRun>`with freed as (
          delete from guard_keys where tenant_id = ${tenantId} and execution_id = ${executionId} and key <> all (${keptKeys})
            returning key),
        left_line as (delete from guard_queue where tenant_id = ${tenantId} and execution_id = ${executionId})
        ${selectFirstWaitingSql(sql`(select key from freed union ${selectRequestedKeysSql(ref)})`, ref)}`,
    ),
  ]);
  await wakeRuns(tx, queue, tenantId, woken);
}

/**
 * Removes a run from the queue while it waits for a person or a freeze. It later joins the end of the queue. Wakes runs
 * that wait for the same keys.
 */
export async function leaveQueue(tx: EntityManager, queue: JobQueue, ref: RunRef): Promise<void> {
  const { tenantId, executionId } = ref;
  const [, , woken] = await Promise.all([
    lockQueueShared(tx, tenantId),
    affected(
      tx,
      sql`update guard_queue set reason = null, arrival = null, expires_at = null
        where tenant_id = ${tenantId} and execution_id = ${executionId}`,
    ),
    rows(tx, sql<WokenRun>`${selectFirstWaitingSql(selectRequestedKeysSql(ref), ref)}`),
  ]);
  await wakeRuns(tx, queue, tenantId, woken);
}

/**
 * Releases the keys of a run that needs approval again before it begins. Stores them as requested keys. Wakes runs that
 * wait for the same keys. Does nothing for a run without keys.
 */
export async function returnGuardKeys(
  tx: EntityManager,
  queue: JobQueue,
  ref: RunRef,
  timeoutSeconds: number,
): Promise<void> {
  const { tenantId, executionId } = ref;
  await lockQueueExclusively(tx, tenantId);
  const woken = await rows(
    tx,
    sql<WokenRun>`
      with freed as (delete from guard_keys where tenant_id = ${tenantId} and execution_id = ${executionId} returning key),
      queued as (
        insert into guard_queue (tenant_id, execution_id, environment_id, timeout_seconds)
          select ${tenantId}, ${executionId}, environment_id, ${timeoutSeconds} from executions
            where tenant_id = ${tenantId} and id = ${executionId} and exists (select from freed)),
      wanted as (
        insert into guard_waits (tenant_id, key, execution_id) select ${tenantId}, key, ${executionId} from freed)
      ${selectFirstWaitingSql(sql`freed`, ref)}`,
  );
  await wakeRuns(tx, queue, tenantId, woken);
}

/** Returns whether another run holds a key that the run needs, or has waited for it longer. */
export async function isBlocked(tx: EntityManager, { tenantId, executionId }: RunRef): Promise<boolean> {
  const found = await row(
    tx,
    sql<{ blocked: boolean }>`
      select exists (
          select from guard_waits w join guard_keys g on g.tenant_id = ${tenantId} and g.key = w.key
            where w.tenant_id = ${tenantId} and w.execution_id = ${executionId})
        or exists (
          select from guard_queue mine, guard_waits w
              join guard_waits o on o.tenant_id = ${tenantId} and o.key = w.key and o.execution_id <> ${executionId}
              join guard_queue q on q.tenant_id = ${tenantId} and q.execution_id = o.execution_id
            where mine.tenant_id = ${tenantId} and mine.execution_id = ${executionId}
              and w.tenant_id = ${tenantId} and w.execution_id = ${executionId}
              and q.arrival < coalesce(mine.arrival, 9223372036854775807)) as blocked`,
  );
  return found?.blocked !== false;
}

/**
 * Takes all keys that the run needs. Takes none if another run holds one or has waited longer for it. Call `lockQueueExclusively`
 * first.
 */
export async function takeGuardKeys(tx: EntityManager, { tenantId, executionId }: RunRef): Promise<boolean> {
  if (await isBlocked(tx, { tenantId, executionId })) return false;
  // May still fail, because a concurrent start may have taken keys that were not visible above. All transactions insert
  // keys in sorted order, to avoid deadlocks.
  const taken = await row(
    tx,
    sql<{ whole: boolean }>`with taken as (
        insert into guard_keys (tenant_id, key, execution_id)
          select tenant_id, key, execution_id from guard_waits
            where tenant_id = ${tenantId} and execution_id = ${executionId} order by key on conflict do nothing returning 1)
      select (select count(*) from taken)
        = (select count(*) from guard_waits where tenant_id = ${tenantId} and execution_id = ${executionId}) as whole`,
  );
  const isWhole = taken?.whole === true;
  const table = isWhole ? sql`guard_queue` : sql`guard_keys`;
  await affected(tx, sql`delete from ${table} where tenant_id = ${tenantId} and execution_id = ${executionId}`);
  return isWhole;
}
