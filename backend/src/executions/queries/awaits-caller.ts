import { hasRightFromRequester } from '../approval/rights-from-requesters.js';
import { ENVIRONMENTS, callerMayApprove, callerMayRun } from '../../environments/environments.sql.js';
import type { CallerPlaceholders } from '../../environments/visible-environment.js';

/**
 * SQL condition on a row of `executions` that the caller can see. The run waits for a person or keeps hosts with
 * unknown results, and the caller may act on it. For approvals, this is the SQL form of `obstacleToApproval`; otherwise
 * of `mayRun`.
 */
export const awaitsCaller = (alias: string, caller: CallerPlaceholders): string =>
  `(case
    when ${alias}.status = 'PAUSED' and ${alias}.pause_reason = 'APPROVAL' then ${mayDecideApproval(alias, caller)}
    when ${alias}.status = 'PAUSED' or ${holdsUnknownResults(alias)} then ${callerMayRun(alias, caller)}
    else false end)`;

/** SQL array of the runs of tenant `$1` that may wait for a person. It contains some other runs too. */
export const AWAITING_RUNS = `array(
  select id from executions where tenant_id = $1 and status = 'PAUSED'
  union select execution_id from guard_keys where tenant_id = $1)`;

/**
 * SQL condition: a finished run has unknown results. Only then does it keep guard keys (`releaseGuard`). Uses a scalar
 * subquery, because for `exists` PostgreSQL would read all keys of all unfinished runs once per list.
 */
const holdsUnknownResults = (alias: string): string =>
  `(${alias}.finished_at is not null
    and (select true from guard_keys held where held.execution_id = ${alias}.id limit 1) is true)`;

const mayDecideApproval = (alias: string, caller: CallerPlaceholders): string =>
  `(${callerMayApprove(alias, caller)} and exists (select 1 from approvals asked
    join ${ENVIRONMENTS} asking on asking.tenant_id = ${alias}.tenant_id and asking.id = ${alias}.environment_id
    where asked.execution_id = ${alias}.id and asked.state = 'pending'
      and ((asked.allow_self_approval and asking.allow_self_approval)
        or (asked.requested_by <> ${caller.user} and not exists (select 1 from approval_authors author
          where author.execution_id = asked.execution_id and author.round = asked.round and author.user_id = ${caller.user})
          and not ${hasRightFromRequester('asked', alias, caller.user)}))
      and not exists (select 1 from approval_decisions decided where decided.execution_id = asked.execution_id
        and decided.round = asked.round and decided.user_id = ${caller.user} and decided.withdrawn_at is null)))`;
