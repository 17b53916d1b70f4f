import { type EntityManager, In, IsNull } from 'typeorm';
import { isId } from '../../common/ids.js';
import { User } from './user.entity.js';

/** What other rooms may know of a member. */
export type Member = Pick<User, 'id' | 'name' | 'email' | 'kind'>;

/** A member with what a sign-in needs. */
export type SigningMember = Member & Pick<User, 'disabledAt' | 'passwordHash'>;

/** The member; null: the tenant has none of that id. */
export const memberById = async (tx: EntityManager, tenantId: string, id: string): Promise<Member | null> =>
  isId(id) ? tx.getRepository(User).findOneBy({ tenantId, id }) : null;

/** Members by their ids. */
export async function membersById(
  tx: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, Member>> {
  const users = await tx.getRepository(User).findBy({ tenantId, id: In([...ids]) });
  return new Map(users.map((user) => [user.id, user]));
}

/** The service account, which is there until the transaction ends; null: the tenant has none of that id. */
export const keptServiceAccount = async (tx: EntityManager, tenantId: string, id: string): Promise<Member | null> =>
  isId(id)
    ? tx.getRepository(User).findOne({
        where: { tenantId, id, kind: 'service_account' },
        lock: { mode: 'for_key_share' },
      })
    : null;

/** A member who may do something now, and their role; null: there is none of that id, or they are disabled. */
export const activeMember = (
  tx: EntityManager,
  tenantId: string,
  id: string,
): Promise<(Member & Pick<User, 'role'>) | null> =>
  tx.getRepository(User).findOneBy({ tenantId, id, disabledAt: IsNull() });

/** Ids of the members with these e-mail addresses, disabled ones too, by the addresses in lower case. */
export async function membersByEmail(
  tx: EntityManager,
  tenantId: string,
  emails: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ id: string; email: string }[]>(
    'select id, lower(email) as email from users where tenant_id = $1 and lower(email) = any ($2)',
    [tenantId, emails.map((email) => email.toLowerCase())],
  );
  return new Map(rows.map(({ id, email }) => [email, id]));
}

/** The same with what a sign-in needs. */
export const signingMember = (tx: EntityManager, tenantId: string, id: string): Promise<SigningMember | null> =>
  tx.getRepository(User).findOne({
    where: { tenantId, id },
    select: { id: true, name: true, email: true, kind: true, disabledAt: true, passwordHash: true },
  });

/** Names of members by their ids. */
export async function memberNames(
  tx: EntityManager,
  tenantId: string | undefined,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ id: string; name: string }[]>(
    'select id, name from users where tenant_id = $1 and id = any ($2)',
    [tenantId, ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The hash of a member's password; null when none is set. @param lock holds it until the transaction ends */
export async function passwordHashOf(
  tx: EntityManager,
  tenantId: string,
  id: string,
  lock: '' | 'for update' = '',
): Promise<string | null> {
  const [row] = await tx.query<{ password_hash: string | null }[]>(
    `select password_hash from users where tenant_id = $1 and id = $2 ${lock}`,
    [tenantId, id],
  );
  return row?.password_hash ?? null;
}

/** Whether a member still has this password and is not disabled; what it says holds until the transaction ends. */
export async function stillSignsIn(
  tx: EntityManager,
  tenantId: string,
  { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select 1 from users where tenant_id = $1 and id = $2 and password_hash = $3 and disabled_at is null for share`,
    [tenantId, id, passwordHash],
  );
  return rows.length > 0;
}
