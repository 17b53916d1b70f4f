import type { EntityManager } from 'typeorm';
import { affected, sql } from '../../common/database/sql.js';

/** In a copied installation, git sources are synced only on request. */
export async function cancelDueSyncs(tx: EntityManager, tenantId: string): Promise<void> {
  await affected(tx, sql`update git_sources set due_at = null, requested_at = null where tenant_id = ${tenantId}`);
}
