import type { EntityManager } from 'typeorm';

/** Drops deliveries that a copy of an installation took over from the original. */
export async function dropWaitingDeliveries(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query('delete from webhook_deliveries where tenant_id = $1 and finished_at is null', [tenantId]);
}
