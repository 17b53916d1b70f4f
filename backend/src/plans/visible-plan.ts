import { type CallerPlaceholders, isInVisibleEnvironment } from '../environments/visible-environment.js';

/**
 * SQL condition on a row of `plans`: the caller may see it. A plan that is bound to no environment is seen by every
 * member, one that is bound to an environment by who sees that.
 * @param alias the row's alias in the query
 */
export const planIsVisible = (alias: string, caller: CallerPlaceholders): string =>
  `(${alias}.environment_id is null or ${isInVisibleEnvironment(alias, caller)})`;
