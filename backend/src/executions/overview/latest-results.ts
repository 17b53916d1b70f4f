import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { isWithinLimitsSql } from '../../environments/environments.sql.js';
import type { ExecutionStatus } from '../lifecycle/statuses.js';
import { isRunInSql } from './open-failures.js';

/** Latest runs of a plan in an environment that are read, because dry runs are skipped. */
const MAX_RUNS_OF_PLAN = 50;
const MAX_RECENT_RUNS = 1_000;

/** Latest run of a plan in an environment that began. */
export interface LatestResult {
  id: string;
  planId: string;
  planName: string;
  planRevision: number;
  environmentId: string;
  status: ExecutionStatus;
  startedAt: Date;
  finishedAt: Date | null;
}

const RESULT_COLUMNS_SQL = sql`e.id, e.plan_id as "planId", e.plan_name as "planName", e.plan_revision as "planRevision",
  e.environment_id as "environmentId", e.status, coalesce(e.started_at, e.created_at) as "startedAt", e.finished_at as "finishedAt"`;

/**
 * Returns the latest result of the plans that ran last in each environment, newest first. Dry runs are ignored.
 * @param most number of plans of each environment, and of its latest runs in which they are searched
 */
export const listLatestResults = (
  tx: EntityManager,
  caller: Principal,
  environmentIds: readonly string[],
  most: { plans: number; runs: number },
): Promise<LatestResult[]> =>
  rows(
    tx,
    sql<LatestResult>`
      select r.* from unnest(${environmentIds}::uuid[]) as environment (id)
        cross join lateral (
          select * from (
            select distinct on (e."planId") e.* from (
              select ${RESULT_COLUMNS_SQL} from executions e
                where e.tenant_id = ${caller.tenantId} and e.environment_id = environment.id
                  and e.execution_mode <> 'dry_run' and e.started_at is not null
                  and ${isWithinLimitsSql('planIds', sql`e.plan_id`, caller)}
                order by e.id desc limit ${most.runs}) e
              order by e."planId", e.id desc) by_plan
          order by by_plan.id desc limit ${most.plans}) r
        order by r.id desc`,
  );

/** Returns the latest result of each of these plans in each of these environments. Dry runs are ignored. */
export const findLatestResults = (
  tx: EntityManager,
  caller: Principal,
  planIds: readonly string[],
  environmentIds: readonly string[],
): Promise<LatestResult[]> =>
  rows(
    tx,
    sql<LatestResult>`
      select r.* from unnest(${planIds}::uuid[]) as plan (id)
        cross join unnest(${environmentIds}::uuid[]) as environment (id)
        cross join lateral (
          select ${RESULT_COLUMNS_SQL} from (
            select * from executions e
              where e.tenant_id = ${caller.tenantId} and e.plan_id = plan.id and e.environment_id = environment.id
                and e.started_at is not null
              order by e.started_at desc limit ${MAX_RUNS_OF_PLAN}) e
            where e.execution_mode <> 'dry_run' limit 1) r`,
  );

/** Returns plans and environments of the newest runs, those with the newest run first. */
export async function findRecentlyUsed(
  tx: EntityManager,
  caller: Principal,
  environmentIds: readonly string[],
): Promise<{ planIds: string[]; environmentIds: string[] }> {
  const found = await rows(
    tx,
    sql<{ planId: string; environmentId: string }>`
      select recent.plan_id as "planId", recent.environment_id as "environmentId" from (
        select e.id, e.plan_id, e.environment_id from executions e
          where e.tenant_id = ${caller.tenantId} and ${isRunInSql(environmentIds, caller)}
          order by e.id desc limit ${MAX_RECENT_RUNS}) recent
        group by 1, 2 order by max(recent.id::text) desc`,
  );
  return {
    planIds: [...new Set(found.map(({ planId }) => planId))],
    environmentIds: [...new Set(found.map(({ environmentId }) => environmentId))],
  };
}
