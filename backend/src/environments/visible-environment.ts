/** How a query writes the caller's role, user id and limits: `$2`, or `:role` in a query builder. */
export interface CallerPlaceholders {
  role: string;
  user: string;
  limits: string;
}

/** The names that a `Principal` gives as parameters of a query builder. */
export const NAMED_CALLER: CallerPlaceholders = { role: ':role', user: ':userId', limits: ':limits' };

/**
 * SQL condition: the id is one of those that the caller's token is narrowed to, if it is. What has no id any more is in
 * no such list.
 */
export const isWithin = (list: 'environmentIds' | 'planIds', id: string, limits: string): string =>
  `coalesce((${limits}::jsonb -> '${list}') ? coalesce(${id}::text, ''), true)`;

/**
 * SQL condition on a row of `environments`: the caller may see it. Open ones are seen by every
 * member, restricted ones by who has a grant there, all of them by admins; by a narrowed token only those that it names. The one
 * place that says so in SQL.
 * @param alias the row's alias in the query
 */
export const environmentIsVisible = (alias: string, { role, user, limits }: CallerPlaceholders): string =>
  `(${isWithin('environmentIds', `${alias}.id`, limits)} and (${role} = 'admin' or ${alias}.access = 'open' or exists (select 1 from environment_grants own_grant
    where own_grant.tenant_id = ${alias}.tenant_id and own_grant.environment_id = ${alias}.id and own_grant.user_id = ${user})))`;

/**
 * SQL condition on a row with `tenant_id` and `environment_id`: the caller may see its environment. What belonged to
 * an environment that was deleted is visible to admins only.
 */
export const isInVisibleEnvironment = (alias: string, caller: CallerPlaceholders): string =>
  `(${isWithin('environmentIds', `${alias}.environment_id`, caller.limits)} and (${caller.role} = 'admin' or exists (select 1 from environments own_environment
    where own_environment.tenant_id = ${alias}.tenant_id and own_environment.id = ${alias}.environment_id
      and ${environmentIsVisible('own_environment', caller)})))`;
