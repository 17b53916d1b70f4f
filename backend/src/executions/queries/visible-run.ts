import { sql, type Sql } from '../../common/database/sql.js';
import {
  isInVisibleEnvironmentSql,
  type Viewer,
  isWithinLimitsSql,
  mayApproveSql,
  ENVIRONMENTS_SQL,
  mayRunSql,
} from '../../environments/environments.sql.js';
import { gotRightFromRequesterSql } from '../approval/rights-from-requesters.js';

/**
 * Condition on a row of `executions`: the caller may see the run. A run is as visible as its environment. A token
 * limited to plans sees only runs of these plans.
 */
export const isRunVisibleToSql = (run: Sql, caller: Viewer): Sql =>
  sql`(${isWithinLimitsSql('planIds', sql`${run}.plan_id`, caller)} and ${isInVisibleEnvironmentSql(run, caller)})`;

/**
 * Condition on a row of `executions` that the caller can see. The run waits for a person or keeps hosts with
 * unknown results, and the caller may act on it. For approvals, this is the SQL form of `findApprovalObstacle`; otherwise
 * of `mayRun`.
 */
export const awaitsCallerSql = (run: Sql, caller: Viewer): Sql =>
  sql`(case
    when ${run}.status = 'PAUSED' and ${run}.pause_reason = 'APPROVAL' then ${mayDecideApprovalSql(run, caller)}
    when ${run}.status = 'PAUSED' or ${hasUnknownResultsSql(run)} then ${mayRunSql(run, caller)}
    else false end)`;

/** Array of the tenant's runs that may wait for a person. It contains some other runs too. */
export const selectAwaitingRunIdsSql = (tenantId: string): Sql => sql`array(
  select id from executions where tenant_id = ${tenantId} and status = 'PAUSED'
  union select execution_id from guard_keys where tenant_id = ${tenantId})`;

/**
 * Condition: a finished run has unknown results. Only then does it keep guard keys (`releaseGuardOfRun`). Uses a scalar
 * subquery, because for `exists` PostgreSQL would read all keys of all unfinished runs once per list.
 */
const hasUnknownResultsSql = (run: Sql): Sql =>
  sql`(${run}.finished_at is not null
    and (select true from guard_keys held where held.execution_id = ${run}.id limit 1) is true)`;

const mayDecideApprovalSql = (run: Sql, caller: Viewer): Sql =>
  sql`(${mayApproveSql(run, caller)} and exists (select 1 from approvals asked
    join ${ENVIRONMENTS_SQL} asking on asking.tenant_id = ${run}.tenant_id and asking.id = ${run}.environment_id
    where asked.execution_id = ${run}.id and asked.state = 'pending'
      and ((asked.allow_self_approval and asking.allow_self_approval)
        or (asked.requested_by <> ${caller.userId}::uuid and not exists (select 1 from approval_authors author
          where author.execution_id = asked.execution_id and author.round = asked.round and author.user_id = ${caller.userId}::uuid)
          and not ${gotRightFromRequesterSql(sql.raw('asked'), run, caller.userId)}))
      and not exists (select 1 from approval_decisions decided where decided.execution_id = asked.execution_id
        and decided.round = asked.round and decided.user_id = ${caller.userId}::uuid and decided.withdrawn_at is null)))`;
