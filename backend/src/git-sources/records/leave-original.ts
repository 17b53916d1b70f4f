import type { EntityManager } from 'typeorm';

/** In a copied installation, git sources are synced only on request. */
export async function dropDueSyncs(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query('update git_sources set due_at = null, requested_at = null where tenant_id = $1', [tenantId]);
}
