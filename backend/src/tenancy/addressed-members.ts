import type { EntityManager } from 'typeorm';
import { emailKey } from './create-tenant.js';
import { knownBySql, type Place } from './known-places.js';

export interface AddressedMember {
  tenantId: string;
  userId: string;
  /** Why the place of the sign-in is known for this member; null = unknown place. */
  knownBy: string | null;
}

/**
 * Returns the members with the email address, and whether they signed in from this place before. Always sends one
 * query, so that its duration does not reveal whether such members exist.
 * @param loginInput `tenant` is absent if none was entered
 */
export const addressedMembers = (
  tx: EntityManager,
  loginInput: { email: string; tenant?: string },
  { device, network }: Place,
  limit: number,
): Promise<AddressedMember[]> =>
  tx.query(
    `select d.tenant_id as "tenantId", d.record_id as "userId", ${knownBySql('d.record_id', '$4', '$5')} as "knownBy"
      from auth_directory d join tenants t on t.id = d.tenant_id
      where d.kind = 'email' and d.key = $1 and ($2::text is null or lower(t.name) = lower($2))
      order by t.created_at limit $3`,
    [emailKey(loginInput.email), loginInput.tenant ?? null, limit, device, network],
  );
