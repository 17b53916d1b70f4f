import type { GrantLevel } from './grant-policy.js';
import { sql, type Sql } from '../common/database/sql.js';
import type { Viewer } from './visible-environment.js';

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
