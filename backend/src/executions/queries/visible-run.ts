import {
  type CallerPlaceholders,
  isInVisibleEnvironment,
  isInScopeList,
} from '../../environments/visible-environment.js';

/**
 * SQL condition on a row of `executions`: the caller can see the run. A run is as visible as its environment. A token
 * limited to plans sees only runs of these plans.
 * @param alias the row's alias in the query
 */
export const runIsVisible = (alias: string, caller: CallerPlaceholders): string =>
  `(${isInScopeList('planIds', `${alias}.plan_id`, caller.limits)} and ${isInVisibleEnvironment(alias, caller)})`;
