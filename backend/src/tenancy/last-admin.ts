import type { EntityManager } from 'typeorm';
import { conflict } from '../common/errors/problem.js';

/**
 * Lets changes of a tenant's members happen one at a time, until this transaction ends: what it reads from here on is
 * what the racing changes before it left. Locking the admins' rows would not do, since a change may also find that its
 * member is no admin, and meanwhile become wrong. The role of the application may not lock a row of `tenants`.
 */
export async function lockMembers(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('members ' || $1, 0))`, [tenantId]);
}

/**
 * Refuses a change that would leave a tenant without an active admin. Call it under {@link lockMembers}.
 * @param userId who is about to stop being an active admin
 * @throws Problem 409 `last_admin`
 */
export async function demandAnotherAdmin(tx: EntityManager, tenantId: string, userId: string): Promise<void> {
  const others = await tx.query<unknown[]>(
    `select 1 from users where tenant_id = $1 and id <> $2 and role = 'admin' and kind = 'person' and disabled_at is null limit 1`,
    [tenantId, userId],
  );
  if (others.length > 0) return;
  throw conflict('last_admin', 'This is the last active admin. Make another member an admin first.');
}
