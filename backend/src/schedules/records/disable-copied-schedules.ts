import type { EntityManager } from 'typeorm';
import type { Reason } from '../../common/http/reason.view.js';
import { affected, sql } from '../../common/database/sql.js';

/** Disables the schedules of a copied installation. @returns number of schedules */
export function disableSchedules(
  tx: EntityManager,
  tenantId: string,
  { reason, by }: { reason: Reason; by: string },
): Promise<number> {
  return affected(
    tx,
    sql`update schedules set enabled = false, paused_code = ${reason.code}, paused_reason = ${reason.text},
        paused_by = null, paused_by_name = ${by}, paused_at = now(),
        claimed_until = null, next_at = null, due_at = null, version = version + 1, updated_at = now()
      where tenant_id = ${tenantId} and enabled`,
  );
}
