import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import { toLikePattern } from '../../common/http/paging/page.js';
import { isInVisibleEnvironmentSql, type Viewer, isWithinLimitsSql } from '../../environments/environments.sql.js';

/**
 * Condition on a row of `plans`: the caller can see it. All members see a plan without environment; a plan with an
 * environment is visible like the environment. A token that is restricted to plans sees only those.
 */
export const isPlanVisibleSql = (plan: Sql, caller: Viewer): Sql =>
  sql`(${isWithinLimitsSql('planIds', sql`${plan}.id`, caller)}
    and (${plan}.environment_id is null or ${isInVisibleEnvironmentSql(plan, caller)}))`;

export const filterVisiblePlans = (
  tx: EntityManager,
  caller: Principal,
  ids: readonly string[],
): Promise<{ id: string; name: string; environmentId: string | null }[]> =>
  rows(
    tx,
    sql<{ id: string; name: string; environmentId: string | null }>`
      select p.id, p.name, p.environment_id as "environmentId" from plans p
        where p.tenant_id = ${caller.tenantId} and p.id = any (${ids}::uuid[])
          and ${isPlanVisibleSql(sql.raw('p'), caller)}`,
  );

/** Returns visible plans by name. @param text part of the name; absent: any name */
export const listVisiblePlanNames = (
  tx: EntityManager,
  caller: Principal,
  text: string | undefined,
  limit: number,
): Promise<{ id: string; name: string }[]> =>
  rows(
    tx,
    sql<{ id: string; name: string }>`
      select p.id, p.name from plans p
        where p.tenant_id = ${caller.tenantId} and ${isPlanVisibleSql(sql.raw('p'), caller)}
          ${text === undefined ? sql.none : sql`and p.name ilike ${toLikePattern(text)}`}
        order by lower(p.name) limit ${limit}`,
  );
