import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { type CallerPlaceholders, isInVisibleEnvironment, isInScopeList } from '../environments/visible-environment.js';

/**
 * SQL condition: the caller can see the row of `plans`. All members see a plan without environment. Other plans are
 * visible like their environment. A token that is restricted to plans sees only these.
 * @param alias of `plans` in the query
 */
export const planIsVisible = (alias: string, caller: CallerPlaceholders): string =>
  `(${isInScopeList('planIds', `${alias}.id`, caller.limits)} and (${alias}.environment_id is null or ${isInVisibleEnvironment(alias, caller)}))`;

export const plansAmong = (
  tx: EntityManager,
  caller: Principal,
  ids: readonly string[],
): Promise<{ id: string; name: string; environmentId: string | null }[]> =>
  tx.query(
    `select p.id, p.name, p.environment_id as "environmentId" from plans p
      where p.tenant_id = $1 and p.id = any ($2::uuid[])
        and ${planIsVisible('p', { role: '$3', user: '$4', limits: '$5' })}`,
    [caller.tenantId, ids, caller.role, caller.userId, caller.limits],
  );
