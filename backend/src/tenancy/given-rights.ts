import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { affected, sql, type Sql } from '../common/database/sql.js';

/** Kind of right that one member gave another. `password` is a link that allows signing in as the member. */
export type GivenRight = 'membership' | 'role' | 'password' | 'grant';

/**
 * Records, in the same transaction, that the caller gave the member a right.
 * @param environmentId null = in the whole tenant
 */
export async function recordGivenRight(
  tx: EntityManager,
  caller: Principal,
  kind: GivenRight,
  userId: string,
  environmentId: string | null = null,
): Promise<void> {
  await affected(
    tx,
    sql`insert into given_rights (tenant_id, user_id, environment_id, kind, given_by, given_by_name)
      values (${caller.tenantId}, ${userId}, ${environmentId}, ${kind}, ${caller.userId}, ${caller.name})
      on conflict (tenant_id, user_id, environment_id, kind, given_by)
      do update set given_at = now(), given_by_name = excluded.given_by_name`,
  );
}

/**
 * SQL relation of the rights that members received in an environment and still have. Columns: `user_id`, `kind`,
 * `given_by`, `given_by_name`, `given_at`. Omits grants of admins, because they add no right.
 */
export const givenRightsSql = (tenant: Sql, environment: Sql): Sql =>
  sql`(select g.user_id, g.kind, g.given_by, g.given_by_name, g.given_at
    from given_rights g join users u on u.tenant_id = g.tenant_id and u.id = g.user_id
    where g.tenant_id = ${tenant} and (g.environment_id is null or (g.environment_id = ${environment} and u.role <> 'admin')))`;
