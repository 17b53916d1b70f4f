import type { EntityManager } from 'typeorm';
import { row, sql } from '../../common/database/sql.js';
import type { Plan } from '../records/plan.entity.js';

/** Returns the latest text of a plan, with its revision; null: the plan was only saved by fields. */
export async function readLastSource(
  tx: EntityManager,
  { tenantId, id, revision }: Pick<Plan, 'tenantId' | 'id' | 'revision'>,
): Promise<{ text: string; number: number } | null> {
  const latest = await row(
    tx,
    // The condition excludes null; `coalesce` tells the checker so.
    sql<{ text: string; number: number }>`select coalesce(source_text, '') as text, number from plan_revisions
      where tenant_id = ${tenantId} and plan_id = ${id} and number <= ${revision} and source_text is not null
      order by number desc limit 1`,
  );
  return latest ?? null;
}
