import type { EntityManager } from 'typeorm';

/** In a copied installation, ends the checks, rotations and imports of the original. */
export async function abandonInventoryWork(tx: EntityManager, tenantId: string, reason: string): Promise<void> {
  await tx.query('update server_checks set requested_at = null, due_from = now() where tenant_id = $1', [tenantId]);
  await tx.query(
    `update key_rotation_hosts h set state = 'given_up', message = $2 from key_rotations r
      where h.tenant_id = $1 and r.tenant_id = $1 and r.id = h.rotation_id and r.finished_at is null
        and h.state in ('pending', 'installed', 'switched', 'failed')`,
    [tenantId, reason],
  );
  await tx.query(
    'update key_rotations set finished_at = now(), lease_until = null where tenant_id = $1 and finished_at is null',
    [tenantId],
  );
  await tx.query(
    `update inventory_imports set state = 'failed' where tenant_id = $1 and state in ('pending', 'running')`,
    [tenantId],
  );
}
