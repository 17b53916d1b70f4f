import { type CallerPlaceholders, isInVisibleEnvironment, isWithin } from '../../environments/visible-environment.js';

/**
 * SQL condition on a row of `schedules`: the caller may see it. They are as visible as the runs that they start: as their
 * environment is, and by a token that is narrowed to plans only those of these.
 * @param alias the row's alias in the query
 */
export const scheduleIsVisible = (alias: string, caller: CallerPlaceholders): string =>
  `(${isWithin('planIds', `${alias}.plan_id`, caller.limits)} and ${isInVisibleEnvironment(alias, caller)})`;
