import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../common/database/sql.js';

/** Returns the environments among these in which a run of one of the plans has begun. Counts dry runs too. */
export async function findEnvironmentsWithRuns(
  tx: EntityManager,
  tenantId: string,
  planIds: readonly string[],
  environmentIds: readonly string[],
): Promise<string[]> {
  const environments = await rows(
    tx,
    sql<{ id: string }>`select e.id from unnest(${environmentIds}::uuid[]) as e (id) where exists (
        select from unnest(${planIds}::uuid[]) as p (id) where exists (
          select from executions r where r.tenant_id = ${tenantId} and r.plan_id = p.id and r.environment_id = e.id
            and r.started_at is not null))`,
  );
  return environments.map(({ id }) => id);
}
