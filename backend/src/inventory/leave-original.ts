import type { EntityManager } from 'typeorm';
import { affected, sql } from '../common/database/sql.js';

/** In a copied installation, ends the checks, rotations and imports of the original. */
export async function cancelInventoryWork(tx: EntityManager, tenantId: string, reason: string): Promise<void> {
  await affected(tx, sql`update server_checks set requested_at = null, due_from = now() where tenant_id = ${tenantId}`);
  await affected(
    tx,
    sql`update key_rotation_hosts h set state = 'given_up', message = ${reason} from key_rotations r
      where h.tenant_id = ${tenantId} and r.tenant_id = ${tenantId} and r.id = h.rotation_id and r.finished_at is null
        and h.state in ('pending', 'installed', 'switched', 'failed')`,
  );
  await affected(
    tx,
    sql`update key_rotations set finished_at = now(), lease_until = null
      where tenant_id = ${tenantId} and finished_at is null`,
  );
  await affected(
    tx,
    sql`update inventory_imports set state = 'failed'
      where tenant_id = ${tenantId} and state in ('pending', 'running')`,
  );
}
