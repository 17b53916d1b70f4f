import type { EntityManager } from 'typeorm';
import { rows, sql } from '../common/database/sql.js';
import { emailKey } from './create-tenant.js';
import { knownPlaceSql, type Place } from './sign-ins/known-places.js';

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
export const findAddressedMembers = (
  tx: EntityManager,
  { email, tenant = null }: { email: string; tenant?: string | null },
  place: Place,
  limit: number,
): Promise<AddressedMember[]> =>
  rows(
    tx,
    sql<AddressedMember>`
      select d.tenant_id as "tenantId", d.record_id as "userId", ${knownPlaceSql(sql`d.record_id`, place)} as "knownBy"
        from auth_directory d join tenants t on t.id = d.tenant_id
        where d.kind = 'email' and d.key = ${emailKey(email)}
          and (${tenant}::text is null or lower(t.name) = lower(${tenant}))
        order by t.created_at limit ${limit}`,
  );
