import type { EntityManager } from 'typeorm';
import { affected, row, sql } from '../common/database/sql.js';
import { conflict } from '../common/errors/problem.js';
import { User } from './directory/user.entity.js';
import { forgetPlaces } from './sign-ins/known-places.js';
import type { SignIns } from './sign-ins/sign-ins.js';

/**
 * Removes a member with sessions, tokens, links and grants. Records and history stay.
 * @throws Problem 409 `in_use` with the trust rules that issue tokens of this member
 */
export async function removeUser(tx: EntityManager, signIns: SignIns, user: User): Promise<void> {
  const { tenantId, id } = user;
  // Lock the member first: a token created between the two deletions would leave its directory entry behind.
  await row(tx, sql`select 1 from users where tenant_id = ${tenantId} and id = ${id} for update`);
  await requireUnused(tx, signIns, user);
  await affected(
    tx,
    sql`delete from auth_directory where tenant_id = ${tenantId} and (record_id = ${id}
      or record_id in (select own.id from (${signIns.credentials}) own where own.tenant_id = ${tenantId} and own.user_id = ${id})
      or record_id in (select id from password_links where tenant_id = ${tenantId} and user_id = ${id}))`,
  );
  await forgetPlaces(tx, id, null);
  await tx.getRepository(User).delete({ tenantId, id });
}

/** @throws Problem 409 `in_use` */
async function requireUnused(tx: EntityManager, signIns: SignIns, { tenantId, id, name }: User): Promise<void> {
  const rules = await signIns.trustRules(tx, tenantId, id);
  if (rules.length === 0) return;
  throw conflict('in_use', `Trust rules issue tokens of "${name}". Change or delete them first.`, {
    referrers: rules.map((rule) => ({ type: 'oidc_trust_rule', ...rule })),
  });
}
