import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import type { ExecutionStatus, HostStatus } from '../lifecycle/statuses.js';
import { isRunVisibleToSql } from '../queries/visible-run.js';
import type { LatestResult } from './latest-results.js';

/** Latest runs of a host that are read. */
export const MAX_RUNS_OF_HOST = 1_000;

/** Run that began on a host. */
export interface RunOnHost extends LatestResult {
  environmentName: string;
  status: ExecutionStatus;
  /** Result on this host. */
  hostStatus: HostStatus;
}

/** Returns the latest visible runs that began on a host, newest first. Dry runs are ignored. */
export const listRunsOnHost = (tx: EntityManager, caller: Principal, serverId: string): Promise<RunOnHost[]> =>
  rows(
    tx,
    sql<RunOnHost>`
      select e.id, e.plan_id as "planId", e.plan_name as "planName", e.plan_revision as "planRevision",
          e.environment_id as "environmentId", e.environment_name as "environmentName", e.status, h.status as "hostStatus",
          coalesce(e.started_at, e.created_at) as "startedAt", e.finished_at as "finishedAt"
        from (select execution_id, status from execution_hosts
          where tenant_id = ${caller.tenantId} and server_id = ${serverId}
          order by execution_id desc limit ${MAX_RUNS_OF_HOST}) h
        cross join lateral (select * from executions run
          where run.tenant_id = ${caller.tenantId} and run.id = h.execution_id limit 1) e
        where e.started_at is not null and e.execution_mode <> 'dry_run' and ${isRunVisibleToSql(sql.raw('e'), caller)}
        order by h.execution_id desc`,
  );
