import type { EntityManager } from 'typeorm';
import { affected, sql } from '../../common/database/sql.js';
import { forgetPlaces, type Place } from '../sign-ins/known-places.js';
import type { SignIns } from '../sign-ins/sign-ins.js';

export async function invalidateLinks(tx: EntityManager, tenantId: string, userId: string): Promise<void> {
  await affected(
    tx,
    sql`with gone as (delete from password_links where tenant_id = ${tenantId} and user_id = ${userId} returning id)
      delete from auth_directory d using gone where d.kind = 'password_link' and d.record_id = gone.id`,
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
  await affected(
    tx,
    sql`update users set password_hash = ${passwordHash}, updated_at = now()
      where tenant_id = ${tenantId} and id = ${userId}`,
  );
  await signIns.endSessions(tx, tenantId, userId, keep?.session ?? null);
  await forgetPlaces(tx, userId, keep?.place ?? null);
  await invalidateLinks(tx, tenantId, userId);
}
