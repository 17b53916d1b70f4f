import type { EntityManager } from 'typeorm';
import { row, sql } from '../../common/database/sql.js';
import type { ExecutionStatus } from '../lifecycle/statuses.js';

/** Final statuses that show whether the plan works. Cancelled, rejected and expired runs do not. */
const CONCLUSIVE_STATUSES_SQL = sql`'{SUCCEEDED,PARTIALLY_SUCCEEDED,FAILED,TIMED_OUT,INTERRUPTED}'::text[]`;

export async function hasUnknownResults(tx: EntityManager, tenantId: string, executionId: string): Promise<boolean> {
  const held = await row(
    tx,
    sql`select from guard_keys g join executions e on e.id = g.execution_id
      where g.tenant_id = ${tenantId} and g.execution_id = ${executionId} and e.finished_at is not null limit 1`,
  );
  return held !== undefined;
}

/**
 * Returns when the previous conclusive run failed; null: it did not fail, or there is none. The previous run has the
 * same plan and environment, and started earlier.
 */
export async function findPreviousFailureTime(
  tx: EntityManager,
  tenantId: string,
  executionId: string,
): Promise<Date | null> {
  const previous = await row(
    tx,
    sql<{
      status: ExecutionStatus;
      finished_at: Date | null;
    }>`select before.status, before.finished_at from executions e
      cross join lateral unnest(${CONCLUSIVE_STATUSES_SQL}) as kind (status)
      cross join lateral (
        select b.id, b.status, b.finished_at from executions b
          where b.tenant_id = e.tenant_id and b.environment_id = e.environment_id and b.plan_id = e.plan_id
            and b.status = kind.status and b.id < e.id and b.finished_at is not null and b.execution_mode <> 'dry_run'
          order by b.id desc limit 1) before
      where e.tenant_id = ${tenantId} and e.id = ${executionId} order by before.id desc limit 1`,
  );
  return previous && previous.status !== 'SUCCEEDED' ? previous.finished_at : null;
}
