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

/** Ids of these plans that the caller sees. */
export async function plansAmong(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    `select p.id from plans p where p.tenant_id = $1 and p.id = any ($2::uuid[])
      and ${planIsVisible('p', { role: '$3', user: '$4', limits: '$5' })}`,
    [caller.tenantId, ids, caller.role, caller.userId, caller.limits],
  );
  return rows.map(({ id }) => id);
}
