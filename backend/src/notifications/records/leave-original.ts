import type { EntityManager } from 'typeorm';

/** Deletes waiting messages that a copy of an installation inherited from the original. */
export async function dropWaitingMessages(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query('delete from notification_deliveries where tenant_id = $1 and due_at is not null', [tenantId]);
}
