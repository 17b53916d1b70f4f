import type { EntityManager } from 'typeorm';
import { forgetPlaces, type Place } from './known-places.js';
import type { SignIns } from './sign-ins.js';

export async function invalidateLinks(tx: EntityManager, tenantId: string, userId: string): Promise<void> {
  await tx.query(
    `with gone as (delete from password_links where tenant_id = $1 and user_id = $2 returning id)
      delete from auth_directory d using gone where d.kind = 'password_link' and d.record_id = gone.id`,
    [tenantId, userId],
  );
}

/**
 * Replaces the password of a member. Ends sessions, deletes known places and revokes set-password links.
 * @param keep session and place of the request, which stay
 */
export async function replacePassword(
  tx: EntityManager,
  signIns: SignIns,
  { tenantId, userId }: { tenantId: string; userId: string },
  passwordHash: string,
  keep: { session: string | null; place: Place } | null = null,
): Promise<void> {
  await tx.query('update users set password_hash = $3, updated_at = now() where tenant_id = $1 and id = $2', [
    tenantId,
    userId,
    passwordHash,
  ]);
  await signIns.endSessions(tx, tenantId, userId, keep?.session ?? null);
  await forgetPlaces(tx, userId, keep?.place ?? null);
  await invalidateLinks(tx, tenantId, userId);
}
