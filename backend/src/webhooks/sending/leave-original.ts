import type { EntityManager } from 'typeorm';

/** Deletes pending deliveries in a copy of an installation, because the original sends them. */
export async function dropWaitingDeliveries(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query('delete from webhook_deliveries where tenant_id = $1 and finished_at is null', [tenantId]);
}
