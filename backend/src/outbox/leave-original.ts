import type { EntityManager } from 'typeorm';
import { affected, sql } from '../common/database/sql.js';

/** Deletes events in a copy of an installation, because the original delivers them. */
export async function dropEvents(tx: EntityManager, tenantId: string): Promise<void> {
  await affected(tx, sql`delete from outbox_events where tenant_id = ${tenantId}`);
}
