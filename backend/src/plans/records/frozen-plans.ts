import type { EntityManager } from 'typeorm';
import { listActiveFreezes } from '../../collections/active-freezes.js';
import type { ActiveFreeze } from '../../collections/collection-reader.js';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { isPlanVisibleSql } from './visible-plan.js';

export interface EnvironmentFreeze extends ActiveFreeze {
  environmentId: string;
  /** Number of visible plans that the freeze refuses to start in the environment. */
  planCount: number;
}

/**
 * Returns the active freezes of collections with plans that belong to each environment, or to none: those can start in
 * all environments.
 */
export async function listFreezesOfEnvironments(
  tx: EntityManager,
  caller: Principal,
  environmentIds: readonly string[],
): Promise<EnvironmentFreeze[]> {
  const freezes = await listActiveFreezes(tx, caller.tenantId);
  if (freezes.length === 0 || environmentIds.length === 0) return [];
  const counts = await rows(
    tx,
    sql<{ collectionId: string | null; environmentId: string | null; count: number }>`
      select p.collection_id as "collectionId", p.environment_id as "environmentId", count(*)::int as count from plans p
        where p.tenant_id = ${caller.tenantId} and p.collection_id = any (${freezes.flatMap((each) => each.collectionIds)}::uuid[])
          and (p.environment_id is null or p.environment_id = any (${environmentIds}::uuid[]))
          and ${isPlanVisibleSql(sql.raw('p'), caller)}
        group by 1, 2`,
  );
  return environmentIds.flatMap((environmentId) =>
    freezes.flatMap(({ collectionIds, ...freeze }): EnvironmentFreeze[] => {
      const planCount = counts
        .filter((each) => each.collectionId !== null && collectionIds.includes(each.collectionId))
        .filter((each) => each.environmentId === null || each.environmentId === environmentId)
        .reduce((sum, { count }) => sum + count, 0);
      return planCount === 0 ? [] : [{ ...freeze, environmentId, planCount }];
    }),
  );
}
