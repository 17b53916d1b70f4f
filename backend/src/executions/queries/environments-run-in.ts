import type { EntityManager } from 'typeorm';

/** Returns the environments among these in which a run of one of the plans has begun. Counts dry runs too. */
export async function findEnvironmentsWithRuns(
  tx: EntityManager,
  tenantId: string,
  planIds: readonly string[],
  environmentIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    `select e.id from unnest($3::uuid[]) as e (id) where exists (
        select from unnest($2::uuid[]) as p (id) where exists (
          select from executions r where r.tenant_id = $1 and r.plan_id = p.id and r.environment_id = e.id
            and r.started_at is not null))`,
    [tenantId, planIds, environmentIds],
  );
  return rows.map(({ id }) => id);
}
