import type { EntityManager } from 'typeorm';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import { removeFromDirectory } from '../../tenancy/directory/auth-directory.js';

export async function endSessions(
  tx: EntityManager,
  tenantId: string,
  userId: string,
  excludedId: string | null,
): Promise<void> {
  const ofUser = sql`user_id = ${userId} and id is distinct from ${excludedId}::uuid`;
  await removeSessionDirectoryEntries(tx, tenantId, await rows(tx, deleteSessionsSql(tenantId, ofUser)));
}

export async function removeExpiredSessions(tx: EntityManager, tenantId: string, userId: string): Promise<void> {
  const expired = sql`user_id = ${userId} and expires_at < now()`;
  await removeSessionDirectoryEntries(tx, tenantId, await rows(tx, deleteSessionsSql(tenantId, expired)));
}

export async function removeSession(tx: EntityManager, tenantId: string, id: string): Promise<void> {
  await removeSessionDirectoryEntries(tx, tenantId, await rows(tx, deleteSessionsSql(tenantId, sql`id = ${id}`)));
}

/**
 * Deletes sessions. Their entries in the directory come after them: the fixed order prevents a deadlock between a
 * sign-out and a concurrent change of the password.
 */
const deleteSessionsSql = (tenantId: string, condition: Sql): Sql<{ id: string }> =>
  sql<{ id: string }>`delete from sessions where tenant_id = ${tenantId} and ${condition} returning id`;

const removeSessionDirectoryEntries = (
  tx: EntityManager,
  tenantId: string,
  ended: readonly { id: string }[],
): Promise<void> =>
  removeFromDirectory(
    tx,
    'session',
    tenantId,
    ended.map(({ id }) => id),
  );
