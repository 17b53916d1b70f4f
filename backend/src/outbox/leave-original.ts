import type { EntityManager } from 'typeorm';

/** Deletes events in a copy of an installation; the original delivers them. */
export async function dropEvents(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query('delete from outbox_events where tenant_id = $1', [tenantId]);
}
