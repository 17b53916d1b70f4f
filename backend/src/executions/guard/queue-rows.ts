import type { EntityManager } from 'typeorm';
import type { QueueReason } from '../lifecycle/statuses.js';
import type { RunRef } from '../record/run-head.js';

/** How long a run waits for the guard unless its start says so, in seconds. */
export const QUEUE_SECONDS = 24 * 60 * 60;
/** Runs that may wait in an environment at a time. */
export const MOST_QUEUED = 100;
/** Of these, runs of one member: nobody fills an environment alone. */
export const MOST_QUEUED_BY_MEMBER = 50;
/** When a run that waits for the guard looks again at the latest, in seconds; whoever lets go of a key wakes it. */
const LOOK_AGAIN_SECONDS = 60;

/** A run that has not taken its keys of the guard, as who asks for its admission needs it. */
export interface QueuedRow {
  reason: QueueReason | null;
  on_overlap: 'refuse' | 'queue';
  start_at: Date | null;
  /** Its time has not come. */
  early: boolean;
  /** It has waited for as long as it may. */
  late: boolean;
}

/** Undefined: it has its keys, or needs none. Read after the run's row was locked: nobody changes it then. */
export async function queuedRow(tx: EntityManager, { tenantId, executionId }: RunRef): Promise<QueuedRow | undefined> {
  const [row] = await tx.query<QueuedRow[]>(
    `select q.reason, e.on_overlap, e.start_at, coalesce(e.start_at > now(), false) as early, coalesce(q.expires_at <= now(), false) as late
      from guard_queue q join executions e on e.tenant_id = q.tenant_id and e.id = q.execution_id
      where q.tenant_id = $1 and q.execution_id = $2`,
    [tenantId, executionId],
  );
  return row;
}

/**
 * The run goes on to wait: for its time, or for the guard, where it comes to the end of the line unless it stands in it.
 * The line is held for the latter (`holdLine`).
 */
export async function wait(tx: EntityManager, { tenantId, executionId }: RunRef, reason: QueueReason): Promise<void> {
  await tx.query(
    `with waits as (
        update guard_queue q set reason = $3,
            since = case when q.reason is not distinct from $3 then q.since else now() end,
            arrival = case when $3 = 'overlap' then coalesce(q.arrival,
              (select coalesce(max(arrival), 0) + 1 from guard_queue where tenant_id = $1)) end,
            expires_at = coalesce(q.expires_at, greatest(now(), e.start_at) + make_interval(secs => q.timeout_seconds))
          from executions e
          where q.tenant_id = $1 and q.execution_id = $2 and e.tenant_id = $1 and e.id = $2
          returning q.expires_at)
      update executions e set not_before = case when $3 = 'overlap'
          then least(waits.expires_at, now() + make_interval(secs => $4)) else e.start_at end
        from waits where e.tenant_id = $1 and e.id = $2`,
    [tenantId, executionId, reason, LOOK_AGAIN_SECONDS],
  );
}

/** How many runs wait in the environment, and how many of them the member started. */
export async function queuedIn(
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  userId: string,
): Promise<{ all: number; own: number }> {
  const [row] = await tx.query<{ all: number; own: number }[]>(
    `select count(*)::int as all, count(*) filter (where e.started_by = $3)::int as own
      from guard_queue q join executions e on e.tenant_id = $1 and e.id = q.execution_id
      where q.tenant_id = $1 and q.environment_id = $2`,
    [tenantId, environmentId, userId],
  );
  return row ?? { all: 0, own: 0 };
}
