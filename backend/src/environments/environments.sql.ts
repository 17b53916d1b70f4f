import type { Principal } from '../common/access/principal.js';
import { sql, type Sql } from '../common/database/sql.js';
import type { GrantLevel } from './grant-policy.js';

export type Viewer = Pick<Principal, 'role' | 'userId' | 'limits'>;

/** Condition: the caller's token is unrestricted, or its list contains the ID. Lists never match a null ID. */
export const isWithinLimitsSql = (list: 'environmentIds' | 'planIds', id: Sql, { limits }: Viewer): Sql =>
  sql`coalesce((${limits}::jsonb -> ${list}::text) ? coalesce(${id}::text, ''), true)`;

/** SQL expressions of a member's role and ID. */
interface MemberColumnsSql {
  role: Sql;
  userId: Sql;
}

const toMemberSql = ({ role, userId }: Viewer): MemberColumnsSql => ({
  role: sql`${role}::text`,
  userId: sql`${userId}::uuid`,
});

/**
 * Condition on a row of `environments`: the member may see it. Members see open ones and those with a grant; admins see
 * all. The only SQL definition of this rule.
 */
const isEnvironmentVisibleToMemberSql = (environment: Sql, { role, userId }: MemberColumnsSql): Sql =>
  sql`(${role} = 'admin' or ${environment}.access = 'open' or exists (select from environment_grants own_grant
    where own_grant.tenant_id = ${environment}.tenant_id and own_grant.environment_id = ${environment}.id
      and own_grant.user_id = ${userId}))`;

/** Condition on a row of `environments`: the caller may see it. A narrowed token sees only those that it names. */
export const isEnvironmentVisibleSql = (environment: Sql, caller: Viewer): Sql =>
  sql`(${isWithinLimitsSql('environmentIds', sql`${environment}.id`, caller)}
    and ${isEnvironmentVisibleToMemberSql(environment, toMemberSql(caller))})`;

const isInEnvironmentVisibleToSql = (row: Sql, member: MemberColumnsSql): Sql =>
  sql`(${member.role} = 'admin' or exists (select from environments own_environment
    where own_environment.tenant_id = ${row}.tenant_id and own_environment.id = ${row}.environment_id
      and ${isEnvironmentVisibleToMemberSql(sql.raw('own_environment'), member)}))`;

/**
 * Condition on a row with `tenant_id` and `environment_id`: the caller may see its environment. Records of deleted
 * environments are visible only to admins.
 */
export const isInVisibleEnvironmentSql = (row: Sql, caller: Viewer): Sql =>
  sql`(${isWithinLimitsSql('environmentIds', sql`${row}.environment_id`, caller)}
    and ${isInEnvironmentVisibleToSql(row, toMemberSql(caller))})`;

/** Like `isInVisibleEnvironmentSql`, for a member in the statement, without a token. @param member has `role` and `id` */
export const isInEnvironmentVisibleToMemberSql = (row: Sql, member: Sql): Sql =>
  isInEnvironmentVisibleToSql(row, { role: sql`${member}.role`, userId: sql`${member}.id` });

/** SQL relation for queries of other modules. Join it by `tenant_id` and `id`. */
export const ENVIRONMENTS_SQL = sql`(select tenant_id, id, name, protected, allow_self_approval, host_journal, check_interval_seconds,
    protected_since from environments)`;

/** Condition on a row with `tenant_id` and `environment_id`: the member has a grant there with one of these levels. */
const hasGrantSql = (row: Sql, userId: string, levels: readonly GrantLevel[]): Sql =>
  sql`exists (select from environment_grants granted where granted.tenant_id = ${row}.tenant_id
    and granted.environment_id = ${row}.environment_id and granted.user_id = ${userId}::uuid
    and granted.level = any (${levels}::text[]))`;

/** Condition on a row with `tenant_id` and `environment_id`: the caller may run there. Same rule as `mayRun`. */
export const mayRunSql = (row: Sql, { role, userId, limits }: Viewer): Sql =>
  sql`(coalesce(${limits}::jsonb ->> 'access', 'all') <> 'read' and (${role}::text = 'admin'
    or (${role}::text = 'operator' and exists (select from environments run_environment
      where run_environment.tenant_id = ${row}.tenant_id and run_environment.id = ${row}.environment_id
        and (run_environment.access = 'open' or ${hasGrantSql(row, userId, ['run', 'approve'])})))))`;

/**
 * Condition on a row with `tenant_id` and `environment_id`: the caller may approve there. Same rule as `mayApprove`.
 */
export const mayApproveSql = (row: Sql, { role, userId, limits }: Viewer): Sql =>
  sql`(coalesce(${limits}::jsonb ->> 'access', 'all') = 'all' and ${limits}::jsonb -> 'machine' is null
    and (${role}::text = 'admin' or ${hasGrantSql(row, userId, ['approve'])}))`;
