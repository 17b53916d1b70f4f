import { hasRightFromAsker } from '../approval/rights-from-askers.js';
import { ENVIRONMENTS, mayApproveThere, mayRunThere } from '../../environments/environments.sql.js';
import type { CallerPlaceholders } from '../../environments/visible-environment.js';

/**
 * SQL condition on a row of `executions` that the caller sees: it goes on, or its hosts are free again, only when a
 * person has said something, and the caller may say it. To approve is what `obstacleToApproval` says in code, to answer
 * any other pause and to settle an unknown result what `mayRun` says.
 */
export const awaitsCaller = (alias: string, caller: CallerPlaceholders): string =>
  `(case
    when ${alias}.status = 'PAUSED' and ${alias}.pause_reason = 'APPROVAL' then ${mayDecideApproval(alias, caller)}
    when ${alias}.status = 'PAUSED' or ${holdsUnknownResults(alias)} then ${mayRunThere(alias, caller)}
    else false end)`;

/** SQL list of the runs of the tenant `$1` among which those that await somebody are: few, however many there are. */
export const AWAITING_RUNS = `array(
  select id from executions where tenant_id = $1 and status = 'PAUSED'
  union select execution_id from guard_keys where tenant_id = $1)`;

/**
 * What is over lets go of its guard, but for hosts whose result is unknown (`releaseGuard`). By a value and not by
 * `exists`, for which PostgreSQL reads the keys of all hosts of all runs that go on, once for each list.
 */
const holdsUnknownResults = (alias: string): string =>
  `(${alias}.finished_at is not null
    and (select true from guard_keys held where held.execution_id = ${alias}.id limit 1) is true)`;

const mayDecideApproval = (alias: string, caller: CallerPlaceholders): string =>
  `(${mayApproveThere(alias, caller)} and exists (select 1 from approvals asked
    join ${ENVIRONMENTS} asking on asking.tenant_id = ${alias}.tenant_id and asking.id = ${alias}.environment_id
    where asked.execution_id = ${alias}.id and asked.state = 'pending'
      and ((asked.allow_self_approval and asking.allow_self_approval)
        or (asked.requested_by <> ${caller.user} and not exists (select 1 from approval_authors author
          where author.execution_id = asked.execution_id and author.round = asked.round and author.user_id = ${caller.user})
          and not ${hasRightFromAsker('asked', alias, caller.user)}))
      and not exists (select 1 from approval_decisions decided where decided.execution_id = asked.execution_id
        and decided.round = asked.round and decided.user_id = ${caller.user} and decided.withdrawn_at is null)))`;
