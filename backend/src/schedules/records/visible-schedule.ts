import {
  type CallerPlaceholders,
  isInVisibleEnvironment,
  isInScopeList,
} from '../../environments/visible-environment.js';

/**
 * SQL condition on a row of `schedules`: the caller may see it. A schedule is as visible as its runs: by environment,
 * and for a token narrowed to plans only those of these plans.
 * @param alias alias of the row in the query
 */
export const scheduleIsVisible = (alias: string, caller: CallerPlaceholders): string =>
  `(${isInScopeList('planIds', `${alias}.plan_id`, caller.limits)} and ${isInVisibleEnvironment(alias, caller)})`;
