import type { EntityManager } from 'typeorm';
import type { JobQueue } from '../../common/queue/job-queue.js';
import type { RunRef } from '../record/run-head.js';

/**
 * Advisory lock for the guard queue of a tenant. A run that starts to wait takes it exclusively; a run that releases
 * keys takes it shared. Both take it after the run's own row and before any key. Without it, a run could start to wait
 * for a key while the key's holder releases the key without seeing the waiting run. A start with `onOverlap: refuse`
 * never takes it.
 */
const QUEUE_LOCK = `hashtextextended('guard ' || $1, 0)`;

/** Locks the queue until the transaction ends. Meanwhile no other run of the tenant starts to wait or releases keys. */
export const lockQueue = (tx: EntityManager, tenantId: string): Promise<unknown> =>
  tx.query(`select pg_advisory_xact_lock(${QUEUE_LOCK})`, [tenantId]);

/** Takes the queue lock as shared until the transaction ends. Meanwhile no run starts to wait. */
const shareQueueLock = (tx: EntityManager, tenantId: string): Promise<unknown> =>
  tx.query(`select pg_advisory_xact_lock_shared(${QUEUE_LOCK})`, [tenantId]);

/**
 * SQL for the first waiting run of each key in `left`, except the run `$2`. Only these runs can get the keys: later
 * runs in the queue wait for the first one.
 */
const FIRST_WAITING_SQL = (left: string): string => `select distinct execution_id from (
    select distinct on (o.key) o.execution_id from (${left}) l
      join guard_waits o on o.tenant_id = $1 and o.key = l.key and o.execution_id <> $2
      join guard_queue q on q.tenant_id = $1 and q.execution_id = o.execution_id
      where q.arrival is not null order by o.key, q.arrival) first`;

type WokenRuns = { execution_id: string }[];

/** Each run then checks its keys in its own transaction. */
async function wake(tx: EntityManager, queue: JobQueue, tenantId: string, woken: WokenRuns): Promise<void> {
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
  { tenantId, executionId }: RunRef,
  keptKeys: readonly string[],
): Promise<void> {
  const [, woken] = await Promise.all([
    shareQueueLock(tx, tenantId),
    tx.query<WokenRuns>(
      `with freed as (
          delete from guard_keys where tenant_id = $1 and execution_id = $2 and key <> all ($3) returning key),
        left_line as (delete from guard_queue where tenant_id = $1 and execution_id = $2)
        ${FIRST_WAITING_SQL(`select key from freed
          union select key from guard_waits where tenant_id = $1 and execution_id = $2`)}`,
      [tenantId, executionId, keptKeys],
    ),
  ]);
  await wake(tx, queue, tenantId, woken);
}

/**
 * Removes a run from the queue while it waits for a person or a freeze. It later joins the end of the queue. Wakes runs
 * that wait for the same keys.
 */
export async function leaveQueue(tx: EntityManager, queue: JobQueue, { tenantId, executionId }: RunRef): Promise<void> {
  const [, , woken] = await Promise.all([
    shareQueueLock(tx, tenantId),
    tx.query(
      `update guard_queue set reason = null, arrival = null, expires_at = null where tenant_id = $1 and execution_id = $2`,
      [tenantId, executionId],
    ),
    tx.query<WokenRuns>(FIRST_WAITING_SQL('select key from guard_waits where tenant_id = $1 and execution_id = $2'), [
      tenantId,
      executionId,
    ]),
  ]);
  await wake(tx, queue, tenantId, woken);
}

/**
 * Releases the keys of a run that needs approval again before it begins. Stores them as requested keys. Wakes runs that
 * wait for the same keys. Does nothing for a run without keys.
 */
export async function giveKeysBack(
  tx: EntityManager,
  queue: JobQueue,
  { tenantId, executionId }: RunRef,
  timeoutSeconds: number,
): Promise<void> {
  await lockQueue(tx, tenantId);
  const woken = await tx.query<WokenRuns>(
    `with freed as (delete from guard_keys where tenant_id = $1 and execution_id = $2 returning key),
      queued as (
        insert into guard_queue (tenant_id, execution_id, environment_id, timeout_seconds)
          select $1, $2, environment_id, $3 from executions where tenant_id = $1 and id = $2 and exists (select from freed)),
      wanted as (
        insert into guard_waits (tenant_id, key, execution_id) select $1, key, $2 from freed)
      ${FIRST_WAITING_SQL('select key from freed')}`,
    [tenantId, executionId, timeoutSeconds],
  );
  await wake(tx, queue, tenantId, woken);
}

/** Returns whether another run holds a key that the run needs, or has waited for it longer. */
export async function isBlocked(tx: EntityManager, { tenantId, executionId }: RunRef): Promise<boolean> {
  const [found] = await tx.query<{ blocked: boolean }[]>(IS_BLOCKED_SQL, [tenantId, executionId]);
  return found?.blocked !== false;
}

/**
 * Takes all keys that the run needs. Takes none if another run holds one or has waited longer for it. Call `lockQueue`
 * first.
 */
export async function takeKeys(tx: EntityManager, { tenantId, executionId }: RunRef): Promise<boolean> {
  if (await isBlocked(tx, { tenantId, executionId })) return false;
  // May still fail, because a concurrent start may have taken keys that were not visible above. All transactions insert
  // keys in sorted order, to avoid deadlocks.
  const [taken] = await tx.query<{ whole: boolean }[]>(
    `with taken as (
        insert into guard_keys (tenant_id, key, execution_id)
          select tenant_id, key, execution_id from guard_waits where tenant_id = $1 and execution_id = $2
            order by key on conflict do nothing returning 1)
      select (select count(*) from taken) = (select count(*) from guard_waits where tenant_id = $1 and execution_id = $2) as whole`,
    [tenantId, executionId],
  );
  const table = taken?.whole === true ? 'guard_queue' : 'guard_keys';
  await tx.query(`delete from ${table} where tenant_id = $1 and execution_id = $2`, [tenantId, executionId]);
  return taken?.whole === true;
}

const IS_BLOCKED_SQL = `select exists (
    select from guard_waits w join guard_keys g on g.tenant_id = $1 and g.key = w.key
      where w.tenant_id = $1 and w.execution_id = $2)
  or exists (
    select from guard_queue mine, guard_waits w
        join guard_waits o on o.tenant_id = $1 and o.key = w.key and o.execution_id <> $2
        join guard_queue q on q.tenant_id = $1 and q.execution_id = o.execution_id
      where mine.tenant_id = $1 and mine.execution_id = $2 and w.tenant_id = $1 and w.execution_id = $2
        and q.arrival < coalesce(mine.arrival, 9223372036854775807)) as blocked`;
