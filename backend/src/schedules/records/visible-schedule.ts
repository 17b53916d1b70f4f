import { sql, type Sql } from '../../common/database/sql.js';
import {
  type CallerPlaceholders,
  inEnvironmentVisibleTo,
  isInScopeList,
  isInVisibleEnvironment,
  type Viewer,
  withinLimits,
} from '../../environments/visible-environment.js';

/**
 * SQL condition: the caller may see a row of `schedules`. A schedule is as visible as its runs: by environment, and for
 * a token that is limited to plans, by plan.
 * @param alias alias of the row in the query
 */
export const scheduleIsVisible = (alias: string, caller: CallerPlaceholders): string =>
  `(${isInScopeList('planIds', `${alias}.plan_id`, caller.limits)} and ${isInVisibleEnvironment(alias, caller)})`;

/**
 * Condition on a row of `schedules`: the caller may see it. A schedule is as visible as its runs: by environment, and
 * for a token limited to plans only those of these plans.
 */
export const scheduleVisibleTo = (schedule: Sql, caller: Viewer): Sql =>
  sql`(${withinLimits('planIds', sql`${schedule}.plan_id`, caller)} and ${inEnvironmentVisibleTo(schedule, caller)})`;
