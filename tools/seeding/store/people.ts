import type { EntityManager } from 'typeorm';
import type { PastAuditEntry } from '../../../backend/src/audit/past-audit.js';
import type { Role } from '../../../backend/src/common/access/principal.js';
import { affected, row, sql } from '../../../backend/src/common/database/sql.js';
import { addUser } from '../../../backend/src/tenancy/create-tenant.js';
import { toMemberView } from '../../../backend/src/tenancy/members.view.js';
import type { SeedMember } from '../invent/landscape.js';
import { pastEntry } from './past-entries.js';

/** Documentation range of RFC 5737, which no real host has. */
const ADDRESS = '192.0.2.';

const member = (
  name: string,
  role: Role,
  number: number,
  tokenPrefix: string | null = null,
): Omit<SeedMember, 'id'> => ({
  name,
  role,
  email: `${name.toLowerCase().replace(' ', '.')}@seeded.invalid`,
  tokenPrefix,
  address: `${ADDRESS}${number}`,
});

const STARTERS = [
  member('Ana Weber', 'operator', 11),
  member('Ben Okafor', 'operator', 12),
  member('Chiara Rossi', 'operator', 13),
  member('Nightly Jobs', 'operator', 14, 'runward_seededNightJ'),
];
const APPROVER = member('Finn Larsen', 'viewer', 15);

type UserRow = Pick<SeedMember, 'id' | 'email' | 'name' | 'role'>;

/** Members of the invented past. They have no password until an admin sends them a link. */
export interface People {
  starters: SeedMember[];
  approver: SeedMember;
  entries: PastAuditEntry[];
}

/** Returns the oldest active admin, who owns the invented objects; null: there is none. */
export async function firstAdmin(tx: EntityManager, tenantId: string): Promise<SeedMember | null> {
  const admin = await row(
    tx,
    sql<UserRow>`select id, email, name, role from users
      where tenant_id = ${tenantId} and role = 'admin' and disabled_at is null order by created_at, id limit 1`,
  );
  return admin ? asMember(admin) : null;
}

export async function addPastMember(
  tx: EntityManager,
  tenantId: string,
  fields: Omit<SeedMember, 'id'>,
  passwordHash: string | null,
  at: Date,
): Promise<SeedMember> {
  const { email, name, role } = fields;
  const id = await addUser(tx, tenantId, { email, name, role, passwordHash });
  await affected(
    tx,
    sql`update users set created_at = ${at}, updated_at = ${at} where tenant_id = ${tenantId} and id = ${id}`,
  );
  return { id, ...fields };
}

/** Adds members who start and approve runs. Existing members stay unchanged. */
export async function ensurePeople(tx: EntityManager, tenantId: string, admin: SeedMember, at: Date): Promise<People> {
  const entries: PastAuditEntry[] = [];
  const ensure = async (fields: Omit<SeedMember, 'id'>): Promise<SeedMember> => {
    const known = await row(
      tx,
      sql<UserRow>`select id, email, name, role from users
        where tenant_id = ${tenantId} and lower(email) = ${fields.email}`,
    );
    if (known) return { ...fields, ...known };
    const added = await addPastMember(tx, tenantId, fields, null, at);
    entries.push(pastEntry({ at, by: admin, ...toMemberRow(added, tenantId, at) }));
    return added;
  };
  const starters: SeedMember[] = [];
  for (const fields of STARTERS) starters.push(await ensure(fields));
  return { starters, approver: await ensure(APPROVER), entries };
}

/** Creates a member from a row of `users`, with the address of the admin. */
export const asMember = (row: UserRow): SeedMember => ({ ...row, tokenPrefix: null, address: `${ADDRESS}1` });

function toMemberRow({ id, email, name, role }: SeedMember, tenantId: string, at: Date) {
  const user = {
    id,
    tenantId,
    email,
    name,
    role,
    passwordHash: null,
    disabledAt: null,
    createdAt: at,
    version: 1,
    kind: 'person' as const,
    description: '',
  };
  const resource = { resourceId: id, resourceName: email };
  return { action: 'member.create' as const, ...resource, before: null, after: toMemberView(user) };
}
