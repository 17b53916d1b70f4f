import type { EntityManager } from 'typeorm';
import { affected, row, sql } from '../../common/database/sql.js';
import type { QueueReason } from '../lifecycle/statuses.js';
import type { RunRef } from '../record/run-head.js';

export const DEFAULT_QUEUE_TIMEOUT_SECONDS = 24 * 60 * 60;
export const MAX_QUEUED_RUNS = 100;
export const MAX_QUEUED_PER_MEMBER = 50;
/** Maximum time between two checks of a waiting run, in seconds. The release of a key wakes the run earlier. */
const RECHECK_SECONDS = 60;

export interface QueuedRow {
  reason: QueueReason | null;
  on_overlap: 'refuse' | 'queue';
  start_at: Date | null;
  early: boolean;
  late: boolean;
}

/** Call after locking the run's row, so that the entry cannot change. Undefined: the run has its keys or needs none. */
export const findQueuedRow = (tx: EntityManager, { tenantId, executionId }: RunRef): Promise<QueuedRow | undefined> =>
  row(
    tx,
    sql<QueuedRow>`select q.reason, e.on_overlap, e.start_at, coalesce(e.start_at > now(), false) as early, coalesce(q.expires_at <= now(), false) as late
      from guard_queue q join executions e on e.tenant_id = q.tenant_id and e.id = q.execution_id
      where q.tenant_id = ${tenantId} and q.execution_id = ${executionId}`,
  );

/**
 * Makes the run wait for its start time or for guard keys. For keys, it joins the end of the queue or keeps its
 * position; call `lockQueueExclusively` first.
 */
export async function insertQueueRow(
  tx: EntityManager,
  { tenantId, executionId }: RunRef,
  reason: QueueReason,
): Promise<void> {
  await affected(
    tx,
    sql`with waits as (
        update guard_queue q set reason = ${reason},
            since = case when q.reason is not distinct from ${reason} then q.since else now() end,
            arrival = case when ${reason}::text = 'overlap' then coalesce(q.arrival,
              (select coalesce(max(arrival), 0) + 1 from guard_queue where tenant_id = ${tenantId})) end,
            expires_at = coalesce(q.expires_at, greatest(now(), e.start_at) + make_interval(secs => q.timeout_seconds))
          from executions e
          where q.tenant_id = ${tenantId} and q.execution_id = ${executionId}
            and e.tenant_id = ${tenantId} and e.id = ${executionId}
          returning q.expires_at)
      update executions e set not_before = case when ${reason}::text = 'overlap'
          then least(waits.expires_at, now() + make_interval(secs => ${RECHECK_SECONDS})) else e.start_at end
        from waits where e.tenant_id = ${tenantId} and e.id = ${executionId}`,
  );
}

export async function countQueuedRuns(
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  userId: string,
): Promise<{ all: number; own: number }> {
  const counts = await row(
    tx,
    sql<{ all: number; own: number }>`
      select count(*)::int as all, count(*) filter (where e.started_by = ${userId})::int as own
      from guard_queue q join executions e on e.tenant_id = ${tenantId} and e.id = q.execution_id
      where q.tenant_id = ${tenantId} and q.environment_id = ${environmentId}`,
  );
  return counts ?? { all: 0, own: 0 };
}
