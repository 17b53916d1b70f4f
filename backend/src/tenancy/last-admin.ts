import type { EntityManager } from 'typeorm';
import { row, sql } from '../common/database/sql.js';
import { conflict } from '../common/errors/problem.js';

/**
 * Serialises changes of a tenant's members until this transaction ends. Later reads see all earlier changes. Locking
 * the rows of admins is not enough: a change may find that its member is not an admin, and that may become wrong before
 * the commit. The application role may not lock a row of `tenants`.
 */
export async function lockMembers(tx: EntityManager, tenantId: string): Promise<void> {
  await row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`members ${tenantId}`}, 0))`);
}

/**
 * Refuses a change that would leave a tenant without an active admin. Call {@link lockMembers} first.
 * @param userId member who would stop being an active admin
 * @throws Problem 409 `last_admin`
 */
export async function requireAnotherAdmin(tx: EntityManager, tenantId: string, userId: string): Promise<void> {
  const other = await row(
    tx,
    sql`select 1 from users where tenant_id = ${tenantId} and id <> ${userId}
      and role = 'admin' and kind = 'person' and disabled_at is null limit 1`,
  );
  if (other) return;
  throw conflict('last_admin', 'This is the last active admin. Make another member an admin first.');
}
