import { type EntityManager, In, IsNull } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import { isId } from '../../common/ids.js';
import { User } from './user.entity.js';

export type Member = Pick<User, 'id' | 'name' | 'email' | 'kind'>;

export type SigningMember = Member & Pick<User, 'disabledAt' | 'passwordHash'>;

/** Returns the member; null = not found in the tenant. */
export const findMember = async (tx: EntityManager, tenantId: string, id: string): Promise<Member | null> =>
  isId(id) ? tx.getRepository(User).findOneBy({ tenantId, id }) : null;

export async function findMembers(
  tx: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Member>> {
  const users = await tx.getRepository(User).findBy({ tenantId, id: In([...ids]) });
  return new Map(users.map((user) => [user.id, user]));
}

/** Locks the service account against deletion until the transaction ends; null = not found in the tenant. */
export const lockServiceAccount = async (tx: EntityManager, tenantId: string, id: string): Promise<Member | null> =>
  isId(id)
    ? tx.getRepository(User).findOne({
        where: { tenantId, id, kind: 'service_account' },
        lock: { mode: 'for_key_share' },
      })
    : null;

/** Returns an enabled member with the role; null = not found or disabled. */
export const findActiveMember = (
  tx: EntityManager,
  tenantId: string,
  id: string,
): Promise<(Member & Pick<User, 'role'>) | null> =>
  tx.getRepository(User).findOneBy({ tenantId, id, disabledAt: IsNull() });

/** Returns the IDs of members, including disabled ones, by email address in lower case. */
export async function membersByEmail(
  tx: EntityManager,
  tenantId: string,
  emails: readonly string[],
): Promise<Map<string, string>> {
  const found = await rows(
    tx,
    sql<{ id: string; email: string }>`select id, lower(email) as email from users
      where tenant_id = ${tenantId} and lower(email) = any (${emails.map((email) => email.toLowerCase())})`,
  );
  return new Map(found.map(({ id, email }) => [email, id]));
}

/** Returns the member with the fields that a sign-in needs; null = not found in the tenant. */
export const findSigningMember = (tx: EntityManager, tenantId: string, id: string): Promise<SigningMember | null> =>
  tx.getRepository(User).findOne({
    where: { tenantId, id },
    select: { id: true, name: true, email: true, kind: true, disabledAt: true, passwordHash: true },
  });

export async function readMemberNames(
  tx: EntityManager,
  tenantId: string | undefined,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = await rows(
    tx,
    sql<{ id: string; name: string }>`select id, name from users where tenant_id = ${tenantId} and id = any (${ids})`,
  );
  return new Map(found.map(({ id, name }) => [id, name]));
}

/**
 * Returns the hash of a member's password; null = not set.
 * @param lock locks it until the transaction ends
 */
export async function readPasswordHash(
  tx: EntityManager,
  tenantId: string,
  id: string,
  lock: '' | 'for update' = '',
): Promise<string | null> {
  const user = await row(
    tx,
    sql<{ password_hash: string | null }>`select password_hash from users
      where tenant_id = ${tenantId} and id = ${id} ${lock === 'for update' ? sql`for update` : sql.none}`,
  );
  return user?.password_hash ?? null;
}

/**
 * Returns whether a member is enabled and still has this password. The result stays true until the transaction ends.
 */
export async function canStillSignIn(
  tx: EntityManager,
  tenantId: string,
  { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
): Promise<boolean> {
  const user = await row(
    tx,
    sql`select 1 from users where tenant_id = ${tenantId} and id = ${id} and password_hash = ${passwordHash}
      and disabled_at is null for share`,
  );
  return user !== undefined;
}

/** Returns enabled admins that are people, by name. */
export const listAdmins = (
  tx: EntityManager,
  tenantId: string,
  limit: number,
): Promise<{ id: string; name: string }[]> =>
  rows(
    tx,
    sql<{ id: string; name: string }>`select id, name from users
      where tenant_id = ${tenantId} and role = 'admin' and kind = 'person' and disabled_at is null
      order by lower(name), id limit ${limit}`,
  );
