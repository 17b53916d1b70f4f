import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../../common/database/sql.js';
import { isId } from '../../../common/ids.js';
import type { EnvironmentRights } from '../../../environments/environment.reader.js';
import { maySee } from '../../../environments/grant-policy.js';
import { ACTIVE_MEMBERS, MEMBERS } from '../../../tenancy/directory/members.sql.js';

export type Readers = Pick<ReadonlySet<string>, 'has'>;

export const toMembersWithAccess = (rights: EnvironmentRights): Readers => ({
  has: (userId) => {
    const own = rights.of(userId);
    return own !== null && maySee(own);
  },
});

export async function findAdmins(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Readers> {
  const admins = await rows(
    tx,
    sql<{ id: string }>`select id from ${ACTIVE_MEMBERS} u
      where u.tenant_id = ${tenantId} and u.id = any (${ids}) and u.role = 'admin'`,
  );
  return new Set(admins.map(({ id }) => id));
}

export const filterMemberIds = (to: readonly string[]): string[] => to.filter(isId);

/**
 * Returns the current mail addresses: listed addresses, and the addresses of listed members who are not disabled.
 * @param readers members who may see the content; null: all
 */
export async function listMailAddresses(
  tx: EntityManager,
  tenantId: string,
  to: readonly string[],
  readers: Readers | null,
): Promise<string[]> {
  const members = await rows(
    tx,
    sql<{ id: string; email: string }>`select m.id, m.email
      from ${ACTIVE_MEMBERS} u join ${MEMBERS} m on m.tenant_id = u.tenant_id and m.id = u.id
      where u.tenant_id = ${tenantId} and u.id = any (${filterMemberIds(to)})`,
  );
  const emails = new Map(members.map(({ id, email }) => [id, email]));
  const seen = new Map<string, string>();
  for (const each of to) {
    const address = isId(each) ? emails.get(each) : each;
    if (address === undefined) continue;
    if (isId(each) && readers && !readers.has(each)) continue;
    if (!seen.has(address.toLowerCase())) seen.set(address.toLowerCase(), address);
  }
  return [...seen.values()];
}
