import type { EntityManager } from 'typeorm';
import { removeFromDirectory } from '../../tenancy/directory/auth-directory.js';

export const endSessions = (
  tx: EntityManager,
  tenantId: string,
  userId: string,
  except: string | null,
): Promise<void> => endThose(tx, tenantId, 'user_id = $2 and id is distinct from $3::uuid', [userId, except]);

export const removeExpired = (tx: EntityManager, tenantId: string, userId: string): Promise<void> =>
  endThose(tx, tenantId, 'user_id = $2 and expires_at < now()', [userId]);

export const removeSession = (tx: EntityManager, tenantId: string, id: string): Promise<void> =>
  endThose(tx, tenantId, 'id = $2', [id]);

/**
 * Deletes sessions, then their entries of the directory. The fixed order prevents a deadlock between a sign-out and a
 * concurrent change of the password.
 * @param those SQL condition on a session; its parameters begin with `$2`
 */
async function endThose(tx: EntityManager, tenantId: string, those: string, values: unknown[]): Promise<void> {
  const ended = await tx.query<{ id: string }[]>(
    `with gone as (delete from sessions where tenant_id = $1 and ${those} returning id) select id from gone`,
    [tenantId, ...values],
  );
  await removeFromDirectory(
    tx,
    'session',
    tenantId,
    ended.map(({ id }) => id),
  );
}
