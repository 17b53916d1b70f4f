/** SQL expressions of the caller's role, user ID and limits, such as `$2`, or `:role` in a query builder. */
export interface CallerPlaceholders {
  role: string;
  user: string;
  limits: string;
}

/** Query builder parameters, named like the fields of `Principal`. */
export const NAMED_PLACEHOLDERS: CallerPlaceholders = { role: ':role', user: ':userId', limits: ':limits' };

/** SQL condition: the caller's token is unrestricted, or its list contains the ID. A null ID is in no list. */
export const isInScopeList = (list: 'environmentIds' | 'planIds', id: string, limits: string): string =>
  `coalesce((${limits}::jsonb -> '${list}') ? coalesce(${id}::text, ''), true)`;

/**
 * SQL condition on a row of `environments`: the caller may see it. Admins see all environments; other members see open
 * ones and those in which they have a grant. A token with limits sees only the environments that it names. This is the
 * only SQL definition of the rule.
 * @param alias alias of the row in the query
 */
export const environmentIsVisible = (alias: string, { role, user, limits }: CallerPlaceholders): string =>
  `(${isInScopeList('environmentIds', `${alias}.id`, limits)} and (${role} = 'admin' or ${alias}.access = 'open' or exists (select 1 from environment_grants own_grant
    where own_grant.tenant_id = ${alias}.tenant_id and own_grant.environment_id = ${alias}.id and own_grant.user_id = ${user})))`;

/**
 * SQL condition: the caller may see the environment of the row. The row needs `tenant_id` and `environment_id`. If the
 * environment was deleted, only admins see the row.
 */
export const isInVisibleEnvironment = (alias: string, caller: CallerPlaceholders): string =>
  `(${isInScopeList('environmentIds', `${alias}.environment_id`, caller.limits)} and (${caller.role} = 'admin' or exists (select 1 from environments own_environment
    where own_environment.tenant_id = ${alias}.tenant_id and own_environment.id = ${alias}.environment_id
      and ${environmentIsVisible('own_environment', caller)})))`;
