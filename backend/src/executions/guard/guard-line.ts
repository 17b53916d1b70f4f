import type { EntityManager } from 'typeorm';
import type { JobQueue } from '../../common/queue/job-queue.js';
import type { RunRef } from '../record/run-head.js';

/**
 * Who waits for the guard, and who lets go of a part of it, of one tenant, take this lock, after the run's own row and
 * before any key: then nobody settles down to wait for a key while its holder leaves without having seen that. Those
 * who leave do not keep one another waiting. A start that does not wait never takes it.
 */
const LINE = `hashtextextended('guard ' || $1, 0)`;

/** Until the transaction ends, nobody else of the tenant comes to wait, and nobody lets go of keys. */
export const holdLine = (tx: EntityManager, tenantId: string): Promise<unknown> =>
  tx.query(`select pg_advisory_xact_lock(${LINE})`, [tenantId]);

/** Until the transaction ends, nobody comes to wait. */
const shareLine = (tx: EntityManager, tenantId: string): Promise<unknown> =>
  tx.query(`select pg_advisory_xact_lock_shared(${LINE})`, [tenantId]);

/**
 * Those who stand first for one of the keys that `left` names, `$2` aside: nobody else can come to them. Further ones
 * for a key wait for the first one of it all the same.
 */
const FIRST_FOR = (left: string): string => `select distinct execution_id from (
    select distinct on (o.key) o.execution_id from (${left}) l
      join guard_waits o on o.tenant_id = $1 and o.key = l.key and o.execution_id <> $2
      join guard_queue q on q.tenant_id = $1 and q.execution_id = o.execution_id
      where q.arrival is not null order by o.key, q.arrival) first`;

type Woken = { execution_id: string }[];

/** Those who may go on now look for themselves, each in a transaction of its own. */
async function wake(tx: EntityManager, queue: JobQueue, tenantId: string, woken: Woken): Promise<void> {
  for (const { execution_id: executionId } of woken) await queue.enqueueAdvanceRun(tx, { tenantId, executionId });
}

/**
 * A run that is over, or a host of it that was looked after, lets go of the keys that it holds and of those that it
 * waits for; whoever waits for one of them hears of it.
 * @param kept keys that it keeps
 */
export async function leaveGuard(
  tx: EntityManager,
  queue: JobQueue,
  { tenantId, executionId }: RunRef,
  kept: readonly string[],
): Promise<void> {
  const [, woken] = await Promise.all([
    shareLine(tx, tenantId),
    tx.query<Woken>(
      `with freed as (
          delete from guard_keys where tenant_id = $1 and execution_id = $2 and key <> all ($3) returning key),
        left_line as (delete from guard_queue where tenant_id = $1 and execution_id = $2)
        ${FIRST_FOR(`select key from freed
          union select key from guard_waits where tenant_id = $1 and execution_id = $2`)}`,
      [tenantId, executionId, kept],
    ),
  ]);
  await wake(tx, queue, tenantId, woken);
}

/** It waits for a person or a freeze now, and keeps nobody else from what it wants; later it comes to the end of the line. */
export async function stepOut(tx: EntityManager, queue: JobQueue, { tenantId, executionId }: RunRef): Promise<void> {
  const [, , woken] = await Promise.all([
    shareLine(tx, tenantId),
    tx.query(
      `update guard_queue set reason = null, arrival = null, expires_at = null where tenant_id = $1 and execution_id = $2`,
      [tenantId, executionId],
    ),
    tx.query<Woken>(FIRST_FOR('select key from guard_waits where tenant_id = $1 and execution_id = $2'), [
      tenantId,
      executionId,
    ]),
  ]);
  await wake(tx, queue, tenantId, woken);
}

/**
 * A run that has not begun gives back the keys that it holds, because it needs approval again, and wants them from then
 * on: whoever waits for one of them hears of it. A run without keys is left alone.
 */
export async function giveBack(
  tx: EntityManager,
  queue: JobQueue,
  { tenantId, executionId }: RunRef,
  timeoutSeconds: number,
): Promise<void> {
  await holdLine(tx, tenantId);
  const woken = await tx.query<Woken>(
    `with freed as (delete from guard_keys where tenant_id = $1 and execution_id = $2 returning key),
      queued as (
        insert into guard_queue (tenant_id, execution_id, environment_id, timeout_seconds)
          select $1, $2, environment_id, $3 from executions where tenant_id = $1 and id = $2 and exists (select from freed)),
      wanted as (
        insert into guard_waits (tenant_id, key, execution_id) select $1, key, $2 from freed)
      ${FIRST_FOR('select key from freed')}`,
    [tenantId, executionId, timeoutSeconds],
  );
  await wake(tx, queue, tenantId, woken);
}

/** Whether others hold a key that the run wants, or have waited for it for longer. */
export async function isBlocked(tx: EntityManager, { tenantId, executionId }: RunRef): Promise<boolean> {
  const [found] = await tx.query<{ blocked: boolean }[]>(BLOCKED, [tenantId, executionId]);
  return found?.blocked !== false;
}

/**
 * Takes all keys that the run wants, or none: those that others hold, or have waited for longer, are not for it. The
 * line is held (`holdLine`).
 */
export async function takeKeys(tx: EntityManager, { tenantId, executionId }: RunRef): Promise<boolean> {
  if (await isBlocked(tx, { tenantId, executionId })) return false;
  // One of a start that is being accepted at this moment is not seen before; sorted, as everybody takes them.
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

const BLOCKED = `select exists (
    select from guard_waits w join guard_keys g on g.tenant_id = $1 and g.key = w.key
      where w.tenant_id = $1 and w.execution_id = $2)
  or exists (
    select from guard_queue mine, guard_waits w
        join guard_waits o on o.tenant_id = $1 and o.key = w.key and o.execution_id <> $2
        join guard_queue q on q.tenant_id = $1 and q.execution_id = o.execution_id
      where mine.tenant_id = $1 and mine.execution_id = $2 and w.tenant_id = $1 and w.execution_id = $2
        and q.arrival < coalesce(mine.arrival, 9223372036854775807)) as blocked`;
