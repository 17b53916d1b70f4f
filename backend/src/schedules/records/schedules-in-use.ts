import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import type { ReferrersOf } from '../../environments/environment-use.js';
import type { PlanSchedule } from '../../plans/plan-use.js';
import { scheduleIsVisible } from './visible-schedule.js';

export const schedulesOfEnvironment: ReferrersOf = (tx, tenantId, environmentId) =>
  tx.query(
    `select 'schedule' as type, id, name from schedules where tenant_id = $1 and environment_id = $2 order by name limit 20`,
    [tenantId, environmentId],
  );

/** Returns the schedules that run a plan. Those visible to the caller come first. */
export const schedulesOfPlan = (
  tx: EntityManager,
  caller: Principal,
  planId: string,
  limit: number,
): Promise<PlanSchedule[]> =>
  tx.query(
    `select s.id, s.name, ${scheduleIsVisible('s', { role: '$4', user: '$5', limits: '$6' })} as visible from schedules s
      where s.tenant_id = $1 and s.plan_id = $2 order by visible desc, lower(s.name) limit $3`,
    [caller.tenantId, planId, limit, caller.role, caller.userId, caller.limits],
  );

export async function environmentsScheduledIn(
  tx: EntityManager,
  tenantId: string,
  planIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    'select distinct environment_id as id from schedules where tenant_id = $1 and plan_id = any ($2)',
    [tenantId, planIds],
  );
  return rows.map(({ id }) => id);
}
