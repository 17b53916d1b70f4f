import { type CallerPlaceholders, isInVisibleEnvironment, isWithin } from '../../environments/visible-environment.js';

/**
 * SQL condition on a row of `executions`: the caller may see it. Runs are as visible as their environment, and by a
 * token that is narrowed to plans only runs of those.
 * @param alias the row's alias in the query
 */
export const runIsVisible = (alias: string, caller: CallerPlaceholders): string =>
  `(${isWithin('planIds', `${alias}.plan_id`, caller.limits)} and ${isInVisibleEnvironment(alias, caller)})`;
