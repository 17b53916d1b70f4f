import type { EntityManager } from 'typeorm';

/** Drops events that a copy of an installation took over from the original. */
export async function dropEvents(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query('delete from outbox_events where tenant_id = $1', [tenantId]);
}
