import type { EntityManager } from 'typeorm';
import { affected, sql } from '../../common/database/sql.js';

/** Deletes pending deliveries in a copy of an installation, because the original sends them. */
export async function dropWaitingDeliveries(tx: EntityManager, tenantId: string): Promise<void> {
  await affected(tx, sql`delete from webhook_deliveries where tenant_id = ${tenantId} and finished_at is null`);
}
