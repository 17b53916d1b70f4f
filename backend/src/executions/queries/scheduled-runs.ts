import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql } from '../../common/database/sql.js';
import type { ExecutionStatus } from '../lifecycle/statuses.js';
import { isRunVisibleToSql } from './visible-run.js';

/** Returns a run of the schedule that waits in the guard queue; null: none. */
export async function findWaitingRunOfSchedule(
  tx: EntityManager,
  tenantId: string,
  scheduleId: string,
): Promise<string | null> {
  const run = await row(
    tx,
    sql<{ id: string }>`
      select e.id from executions e
        where e.tenant_id = ${tenantId} and e.schedule_id = ${scheduleId} and e.finished_at is null
          and exists (select from guard_queue q where q.tenant_id = ${tenantId} and q.execution_id = e.id)
        order by e.id limit 1`,
  );
  return run?.id ?? null;
}

/** Returns the current status of each of the runs that the caller may see. */
export async function findVisibleStatuses(
  tx: EntityManager,
  caller: Principal,
  ids: readonly string[],
): Promise<Map<string, ExecutionStatus>> {
  if (ids.length === 0) return new Map();
  const runs = await rows(
    tx,
    sql<{ id: string; status: ExecutionStatus }>`select e.id, e.status from executions e
      where e.tenant_id = ${caller.tenantId} and e.id = any (${ids}) and ${isRunVisibleToSql(sql.raw('e'), caller)}`,
  );
  return new Map(runs.map(({ id, status }) => [id, status]));
}

/** Returns when the schedule's last approved run in the environment was accepted; null: none has begun. */
export async function findLastApprovedTime(
  tx: EntityManager,
  { tenantId, id, environmentId }: { tenantId: string; id: string; environmentId: string },
): Promise<Date | null> {
  const run = await row(
    tx,
    sql<{ at: Date }>`select e.created_at as at from executions e
      where e.tenant_id = ${tenantId} and e.schedule_id = ${id} and e.environment_id = ${environmentId} and e.started_at is not null
        and e.execution_mode <> 'dry_run'
        and (select a.state from approvals a where a.execution_id = e.id order by a.round desc limit 1) = 'approved'
      order by e.id desc limit 1`,
  );
  return run?.at ?? null;
}

/** Null: none. */
export async function findFirstRunInEnvironment(
  tx: EntityManager,
  { tenantId, environmentId }: { tenantId: string; environmentId: string },
  ids: readonly string[],
): Promise<{ id: string; planName: string; startedByName: string } | null> {
  const run = await row(
    tx,
    sql<{ id: string; planName: string; startedByName: string }>`
      select id, plan_name as "planName", started_by_name as "startedByName" from executions
        where tenant_id = ${tenantId} and environment_id = ${environmentId} and id = any (${ids}) order by id limit 1`,
  );
  return run ?? null;
}
