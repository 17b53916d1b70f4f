import type { EntityManager } from 'typeorm';

/** Deletes waiting messages that a copied installation got from the original one. */
export async function dropWaitingMessages(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query('delete from notification_deliveries where tenant_id = $1 and due_at is not null', [tenantId]);
}
