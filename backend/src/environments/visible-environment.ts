/** How a query writes the caller's role and user id: `$2`, or `:role` in a query builder. */
export interface CallerPlaceholders {
  role: string;
  user: string;
}

/** The names that a `Principal` gives as parameters of a query builder. */
export const NAMED_CALLER: CallerPlaceholders = { role: ':role', user: ':userId' };

/**
 * SQL condition on a row of `environments`: the caller may see it. Open ones are seen by every
 * member, restricted ones by who has a grant there, all of them by admins. The one place that says so in SQL.
 * @param alias the row's alias in the query
 */
export const environmentIsVisible = (alias: string, { role, user }: CallerPlaceholders): string =>
  `(${role} = 'admin' or ${alias}.access = 'open' or exists (select 1 from environment_grants own_grant
    where own_grant.tenant_id = ${alias}.tenant_id and own_grant.environment_id = ${alias}.id and own_grant.user_id = ${user}))`;

/**
 * SQL condition on a row with `tenant_id` and `environment_id`: the caller may see its environment. What belonged to
 * an environment that was deleted is visible to admins only.
 */
export const isInVisibleEnvironment = (alias: string, caller: CallerPlaceholders): string =>
  `(${caller.role} = 'admin' or exists (select 1 from environments own_environment
    where own_environment.tenant_id = ${alias}.tenant_id and own_environment.id = ${alias}.environment_id
      and ${environmentIsVisible('own_environment', caller)}))`;
