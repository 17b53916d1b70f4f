import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { runIsVisible } from './visible-run.js';

/** Returns a run of the schedule that waits in the guard queue; null: none. */
export async function waitingRunOf(tx: EntityManager, tenantId: string, scheduleId: string): Promise<string | null> {
  const [row] = await tx.query<{ id: string }[]>(
    `select e.id from executions e where e.tenant_id = $1 and e.schedule_id = $2 and e.finished_at is null
        and exists (select from guard_queue q where q.tenant_id = $1 and q.execution_id = e.id) order by e.id limit 1`,
    [tenantId, scheduleId],
  );
  return row?.id ?? null;
}

export async function visibleAmong(tx: EntityManager, caller: Principal, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx.query<{ id: string }[]>(
    `select e.id from executions e where e.tenant_id = $1 and e.id = any ($2)
      and ${runIsVisible('e', { role: '$3', user: '$4', limits: '$5' })}`,
    [caller.tenantId, ids, caller.role, caller.userId, caller.limits],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Returns when the schedule's last approved run in the environment was accepted; null: none has begun. */
export async function lastApprovedAt(
  tx: EntityManager,
  { tenantId, id, environmentId }: { tenantId: string; id: string; environmentId: string },
): Promise<Date | null> {
  const [row] = await tx.query<{ at: Date }[]>(
    `select e.created_at as at from executions e
      where e.tenant_id = $1 and e.schedule_id = $2 and e.environment_id = $3 and e.started_at is not null
        and e.execution_mode <> 'dry_run'
        and (select a.state from approvals a where a.execution_id = e.id order by a.round desc limit 1) = 'approved'
      order by e.id desc limit 1`,
    [tenantId, id, environmentId],
  );
  return row?.at ?? null;
}

/** Null: none. */
export async function firstRunIn(
  tx: EntityManager,
  { tenantId, environmentId }: { tenantId: string; environmentId: string },
  ids: readonly string[],
): Promise<{ id: string; planName: string; startedByName: string } | null> {
  const [row] = await tx.query<{ id: string; planName: string; startedByName: string }[]>(
    `select id, plan_name as "planName", started_by_name as "startedByName" from executions
      where tenant_id = $1 and environment_id = $2 and id = any ($3) order by id limit 1`,
    [tenantId, environmentId, ids],
  );
  return row ?? null;
}
