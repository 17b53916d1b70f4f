import type { EntityManager } from 'typeorm';
import type { ExecutionStatus } from '../lifecycle/statuses.js';

/** Final statuses that show whether the plan works. Cancelled, rejected and expired runs do not. */
const CONCLUSIVE_STATUSES = `'{SUCCEEDED,PARTIALLY_SUCCEEDED,FAILED,TIMED_OUT,INTERRUPTED}'::text[]`;

export async function hasUnknownResults(tx: EntityManager, tenantId: string, executionId: string): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select from guard_keys g join executions e on e.id = g.execution_id
      where g.tenant_id = $1 and g.execution_id = $2 and e.finished_at is not null limit 1`,
    [tenantId, executionId],
  );
  return rows.length > 0;
}

/**
 * Returns when the previous conclusive run failed; null: it did not fail, or there is none. The previous run has the
 * same plan and environment, and started earlier.
 */
export async function getPreviousFailure(
  tx: EntityManager,
  tenantId: string,
  executionId: string,
): Promise<Date | null> {
  const [row] = await tx.query<{ status: ExecutionStatus; finished_at: Date }[]>(
    `select before.status, before.finished_at from executions e
      cross join lateral unnest(${CONCLUSIVE_STATUSES}) as kind (status)
      cross join lateral (
        select b.id, b.status, b.finished_at from executions b
          where b.tenant_id = e.tenant_id and b.environment_id = e.environment_id and b.plan_id = e.plan_id
            and b.status = kind.status and b.id < e.id and b.finished_at is not null and b.execution_mode <> 'dry_run'
          order by b.id desc limit 1) before
      where e.tenant_id = $1 and e.id = $2 order by before.id desc limit 1`,
    [tenantId, executionId],
  );
  return row && row.status !== 'SUCCEEDED' ? row.finished_at : null;
}
