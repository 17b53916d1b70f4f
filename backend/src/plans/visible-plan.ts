import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { type CallerPlaceholders, isInVisibleEnvironment, isWithin } from '../environments/visible-environment.js';

/**
 * SQL condition on a row of `plans`: the caller may see it. A plan that is bound to no environment is seen by every
 * member, one that is bound to an environment by who sees that; by a token that is narrowed to plans only those.
 * @param alias the row's alias in the query
 */
export const planIsVisible = (alias: string, caller: CallerPlaceholders): string =>
  `(${isWithin('planIds', `${alias}.id`, caller.limits)} and (${alias}.environment_id is null or ${isInVisibleEnvironment(alias, caller)}))`;

/** Those of these plans that the caller sees, and the environments that they are bound to. */
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
