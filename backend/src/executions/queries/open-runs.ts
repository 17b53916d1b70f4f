import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql } from '../../common/database/sql.js';
import type { OpenRun, OpenRunsOnServer } from '../../inventory/ports/server-use.js';
import { isRunVisibleToSql } from './visible-run.js';

const MAX_NAMED_RUNS = 5;

export async function hasOpenRunInEnvironment(
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
): Promise<boolean> {
  const open = await row(
    tx,
    sql`select 1 from executions
      where tenant_id = ${tenantId} and environment_id = ${environmentId} and finished_at is null limit 1`,
  );
  return open !== undefined;
}

export async function hasOpenRunOfPlan(tx: EntityManager, tenantId: string, planId: string): Promise<boolean> {
  const open = await row(
    tx,
    sql`select 1 from executions where tenant_id = ${tenantId} and plan_id = ${planId} and finished_at is null limit 1`,
  );
  return open !== undefined;
}

/** Returns the servers among these that an unfinished run targets. */
export async function listServersInOpenRuns(
  tx: EntityManager,
  tenantId: string,
  serverIds: readonly string[],
): Promise<Set<string>> {
  const servers = await rows(
    tx,
    sql<{ server_id: string }>`
      select distinct h.server_id from execution_hosts h join executions e on e.id = h.execution_id
        where h.tenant_id = ${tenantId} and h.server_id = any (${serverIds}) and e.finished_at is null`,
  );
  return new Set(servers.map(({ server_id }) => server_id));
}

/** Returns unfinished runs per server, oldest first. Runs that the caller cannot see are only counted. */
export async function findOpenRunsOnServers(
  tx: EntityManager,
  caller: Principal,
  serverIds: readonly string[],
): Promise<Map<string, OpenRunsOnServer>> {
  const runs = await rows(
    tx,
    sql<OpenRun & { serverId: string; visible: boolean; place: number; count: number }>`select * from (
        select o.*, row_number() over (partition by "serverId", visible order by id)::int as place,
            count(*) over (partition by "serverId", visible)::int as count
          from (select distinct h.server_id as "serverId", e.id, e.plan_name as "planName", e.start_at as "startAt",
              case q.reason when 'start_time' then 'planned' when 'overlap' then 'queued' else 'other' end as state,
              ${isRunVisibleToSql(sql.raw('e'), caller)} as visible
            from execution_hosts h join executions e on e.id = h.execution_id
              left join guard_queue q on q.tenant_id = ${caller.tenantId} and q.execution_id = e.id
            where h.tenant_id = ${caller.tenantId} and h.server_id = any (${serverIds}) and e.finished_at is null) o) p
      where place <= ${MAX_NAMED_RUNS} order by id`,
  );
  const found = new Map<string, { seen: OpenRun[]; hidden: number }>();
  for (const { serverId, visible, count, id, planName, state, startAt } of runs) {
    const on = found.get(serverId) ?? { seen: [], hidden: 0 };
    found.set(serverId, on);
    if (visible) on.seen.push({ id, planName, state, startAt });
    else on.hidden = count;
  }
  return found;
}

/**
 * Returns servers on which unfinished runs log in with one of these keys, according to the snapshots. Includes the jump
 * servers of these runs. Also includes servers of finished runs whose result is still unknown, because Runward may ask
 * them again.
 */
export async function findKeysUsedByOpenRuns(
  tx: EntityManager,
  tenantId: string,
  keyIds: readonly string[],
): Promise<string[]> {
  const servers = await rows(
    tx,
    sql<{ server_id: string }>`
      select h.server_id from executions e join execution_hosts h on h.tenant_id = ${tenantId} and h.execution_id = e.id
        where e.tenant_id = ${tenantId} and e.finished_at is null and h.ssh_key_id = any (${keyIds})
      union
      select h.server_id from guard_keys g
        join execution_hosts h on h.tenant_id = ${tenantId} and h.execution_id = g.execution_id
          and h.ssh_key_id = any (${keyIds})
        join host_results r on r.tenant_id = ${tenantId} and r.execution_id = h.execution_id and r.server_id = h.server_id
          and r.status = 'UNKNOWN'
        where g.tenant_id = ${tenantId}
      union
      select j.key::uuid from executions e, jsonb_each(e.snapshot->'jumpServers') j
        where e.tenant_id = ${tenantId} and j.value->>'sshKeyId' = any (${keyIds})
          and (e.finished_at is null or e.id in (select execution_id from guard_keys where tenant_id = ${tenantId}))`,
  );
  return servers.map(({ server_id }) => server_id);
}

/** Oldest first. */
export async function listOpenRunIds(tx: EntityManager, tenantId: string, limit: number): Promise<string[]> {
  const runs = await rows(
    tx,
    sql<{ id: string }>`select id from executions
      where tenant_id = ${tenantId} and finished_at is null order by id limit ${limit}`,
  );
  return runs.map(({ id }) => id);
}
