import {
  type CallerPlaceholders,
  isInVisibleEnvironment,
  isInScopeList,
} from '../../environments/visible-environment.js';

/**
 * SQL condition: the caller may see a row of `schedules`. A schedule is as visible as its runs: by environment, and for
 * a token that is limited to plans, by plan.
 * @param alias alias of the row in the query
 */
export const scheduleIsVisible = (alias: string, caller: CallerPlaceholders): string =>
  `(${isInScopeList('planIds', `${alias}.plan_id`, caller.limits)} and ${isInVisibleEnvironment(alias, caller)})`;
