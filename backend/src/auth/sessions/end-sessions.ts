import type { EntityManager } from 'typeorm';
import { removeFromDirectory } from '../../tenancy/directory/auth-directory.js';

export const endSessions = (
  tx: EntityManager,
  tenantId: string,
  userId: string,
  excludedId: string | null,
): Promise<void> =>
  endSessionsWhere(tx, tenantId, 'user_id = $2 and id is distinct from $3::uuid', [userId, excludedId]);

export const removeExpired = (tx: EntityManager, tenantId: string, userId: string): Promise<void> =>
  endSessionsWhere(tx, tenantId, 'user_id = $2 and expires_at < now()', [userId]);

export const removeSession = (tx: EntityManager, tenantId: string, id: string): Promise<void> =>
  endSessionsWhere(tx, tenantId, 'id = $2', [id]);

/**
 * Deletes sessions, then their entries in the directory. The fixed order prevents a deadlock between a sign-out and a
 * concurrent change of the password.
 * @param condition SQL condition on a session; its parameters begin with `$2`
 */
async function endSessionsWhere(
  tx: EntityManager,
  tenantId: string,
  condition: string,
  values: unknown[],
): Promise<void> {
  const ended = await tx.query<{ id: string }[]>(
    `with gone as (delete from sessions where tenant_id = $1 and ${condition} returning id) select id from gone`,
    [tenantId, ...values],
  );
  await removeFromDirectory(
    tx,
    'session',
    tenantId,
    ended.map(({ id }) => id),
  );
}
