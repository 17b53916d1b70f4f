import type { EntityManager } from 'typeorm';

/** Disables the schedules of a copied installation. @returns number of schedules */
export async function disableSchedules(
  tx: EntityManager,
  tenantId: string,
  { reason, by }: { reason: string; by: string },
): Promise<number> {
  const [, count] = await tx.query<[unknown[], number]>(
    `update schedules set enabled = false, paused_reason = $2, paused_by_name = $3, paused_at = now(), claimed_until = null,
        next_at = null, due_at = null, version = version + 1, updated_at = now()
      where tenant_id = $1 and enabled`,
    [tenantId, reason, by],
  );
  return count;
}
