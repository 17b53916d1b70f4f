import type { EntityManager } from 'typeorm';
import type { Plan } from '../plan.entity.js';

/** Returns the latest text of a plan, with its revision; null: the plan was only saved by fields. */
export async function lastSource(
  tx: EntityManager,
  { tenantId, id, revision }: Pick<Plan, 'tenantId' | 'id' | 'revision'>,
): Promise<{ text: string; number: number } | null> {
  const [row] = await tx.query<{ text: string; number: number }[]>(
    `select source_text as text, number from plan_revisions
      where tenant_id = $1 and plan_id = $2 and number <= $3 and source_text is not null order by number desc limit 1`,
    [tenantId, id, revision],
  );
  return row ?? null;
}
