import type { EntityManager } from 'typeorm';
import { affected, sql } from '../../common/database/sql.js';

/** Deletes waiting messages that a copied installation got from the original one. */
export async function dropWaitingMessages(tx: EntityManager, tenantId: string): Promise<void> {
  await affected(tx, sql`delete from notification_deliveries where tenant_id = ${tenantId} and due_at is not null`);
}
