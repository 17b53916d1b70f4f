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
 * SQL condition on a row of `executions`: the caller can see the run. A run is as visible as its environment. A token
 * limited to plans sees only runs of these plans.
 * @param alias the row's alias in the query
 */
export const runIsVisible = (alias: string, caller: CallerPlaceholders): string =>
  `(${isInScopeList('planIds', `${alias}.plan_id`, caller.limits)} and ${isInVisibleEnvironment(alias, caller)})`;

/**
 * Condition on a row of `executions`: the caller may see the run. A run is as visible as its environment. A token
 * limited to plans sees only runs of these plans.
 */
export const runVisibleTo = (run: Sql, caller: Viewer): Sql =>
  sql`(${withinLimits('planIds', sql`${run}.plan_id`, caller)} and ${inEnvironmentVisibleTo(run, caller)})`;
