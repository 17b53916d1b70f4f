import type { GrantLevel } from '../common/access/grant-level.js';
import { sql, type Sql } from '../common/database/sql.js';
import type { CallerPlaceholders, Viewer } from './visible-environment.js';

/** SQL relation for queries of other modules. Join it by `tenant_id` and `id`. */
export const ENVIRONMENTS = sql`(select tenant_id, id, name, protected, allow_self_approval, host_journal, check_interval_seconds,
    protected_since from environments)`;

/**
 * SQL condition: the member has a grant with one of these levels in the environment of the row. The row needs
 * `tenant_id` and `environment_id`.
 * @param user SQL expression of the member's ID
 */
const hasGrantIn = (alias: string, user: string, levels: readonly GrantLevel[]): string =>
  `exists (select 1 from environment_grants granted where granted.tenant_id = ${alias}.tenant_id
    and granted.environment_id = ${alias}.environment_id and granted.user_id = ${user}
    and granted.level in (${levels.map((level) => `'${level}'`).join(', ')}))`;

const accessOf = (limits: string): string => `coalesce(${limits}::jsonb ->> 'access', 'all')`;

/**
 * SQL condition: the caller may run in the environment of the row. The row needs `tenant_id` and `environment_id`. Same
 * rule as `mayRun`.
 */
export const callerMayRun = (alias: string, { role, user, limits }: CallerPlaceholders): string =>
  `(${accessOf(limits)} <> 'read' and (${role} = 'admin' or (${role} = 'operator' and exists (select 1 from environments run_environment
    where run_environment.tenant_id = ${alias}.tenant_id and run_environment.id = ${alias}.environment_id
      and (run_environment.access = 'open' or ${hasGrantIn(alias, user, ['run', 'approve'])})))))`;

/**
 * SQL condition: the caller may approve in the environment of the row. The row needs `tenant_id` and `environment_id`.
 * Same rule as `mayApprove`.
 */
export const callerMayApprove = (alias: string, { role, user, limits }: CallerPlaceholders): string =>
  `(${accessOf(limits)} = 'all' and ${limits}::jsonb -> 'machine' is null
    and (${role} = 'admin' or ${hasGrantIn(alias, user, ['approve'])}))`;

/** Condition on a row with `tenant_id` and `environment_id`: the member has a grant there with one of these levels. */
const grantedThere = (row: Sql, userId: string, levels: readonly GrantLevel[]): Sql =>
  sql`exists (select from environment_grants granted where granted.tenant_id = ${row}.tenant_id
    and granted.environment_id = ${row}.environment_id and granted.user_id = ${userId}::uuid
    and granted.level = any (${levels}::text[]))`;

/** Condition on a row with `tenant_id` and `environment_id`: the caller may run there. Same rule as `mayRun`. */
export const runnableBy = (row: Sql, { role, userId, limits }: Viewer): Sql =>
  sql`(coalesce(${limits}::jsonb ->> 'access', 'all') <> 'read' and (${role}::text = 'admin'
    or (${role}::text = 'operator' and exists (select from environments run_environment
      where run_environment.tenant_id = ${row}.tenant_id and run_environment.id = ${row}.environment_id
        and (run_environment.access = 'open' or ${grantedThere(row, userId, ['run', 'approve'])})))))`;

/**
 * Condition on a row with `tenant_id` and `environment_id`: the caller may approve there. Same rule as `mayApprove`.
 */
export const approvableBy = (row: Sql, { role, userId, limits }: Viewer): Sql =>
  sql`(coalesce(${limits}::jsonb ->> 'access', 'all') = 'all' and ${limits}::jsonb -> 'machine' is null
    and (${role}::text = 'admin' or ${grantedThere(row, userId, ['approve'])}))`;
