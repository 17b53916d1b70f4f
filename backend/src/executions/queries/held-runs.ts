import type { EntityManager } from 'typeorm';
import { affected, sql } from '../../common/database/sql.js';

/** Makes all runs that wait for a freeze or run window due now. The engine then checks whether they may begin. */
export async function wakeHeldRuns(tx: EntityManager, tenantId: string): Promise<void> {
  await affected(
    tx,
    sql`update executions set not_before = now()
      where tenant_id = ${tenantId} and status = 'PENDING' and not_before > now()`,
  );
}
