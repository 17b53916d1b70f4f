import type { EntityManager } from 'typeorm';
import { affected, sql } from '../../common/database/sql.js';

/** Disables the schedules of a copied installation. @returns number of schedules */
export function disableSchedules(
  tx: EntityManager,
  tenantId: string,
  { reason, by }: { reason: string; by: string },
): Promise<number> {
  return affected(
    tx,
    sql`update schedules set enabled = false, paused_reason = ${reason}, paused_by_name = ${by}, paused_at = now(),
        claimed_until = null, next_at = null, due_at = null, version = version + 1, updated_at = now()
      where tenant_id = ${tenantId} and enabled`,
  );
}
