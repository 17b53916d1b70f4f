import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import type { EnvironmentReferrer, ListEnvironmentReferrers } from '../../environments/environment-use.js';
import type { PlanSchedule } from '../../plans/records/plan-use.js';
import { isScheduleVisibleSql } from './visible-schedule.js';

export const listSchedulesOfEnvironment: ListEnvironmentReferrers = (tx, tenantId, environmentId) =>
  rows(
    tx,
    sql<EnvironmentReferrer>`select 'schedule' as type, id, name from schedules
      where tenant_id = ${tenantId} and environment_id = ${environmentId} order by name limit 20`,
  );

/** Returns the schedules that run a plan. Those visible to the caller come first. */
export const schedulesOfPlan = (
  tx: EntityManager,
  caller: Principal,
  planId: string,
  limit: number,
): Promise<PlanSchedule[]> =>
  rows(
    tx,
    sql<PlanSchedule>`select s.id, s.name, ${isScheduleVisibleSql(sql.raw('s'), caller)} as visible from schedules s
      where s.tenant_id = ${caller.tenantId} and s.plan_id = ${planId}
      order by visible desc, lower(s.name) limit ${limit}`,
  );

export async function listScheduledEnvironments(
  tx: EntityManager,
  tenantId: string,
  planIds: readonly string[],
): Promise<string[]> {
  const environments = await rows(
    tx,
    sql<{ id: string }>`select distinct environment_id as id from schedules
      where tenant_id = ${tenantId} and plan_id = any (${planIds})`,
  );
  return environments.map(({ id }) => id);
}
