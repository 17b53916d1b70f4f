import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import type { OpenRun, OpenRunsOn } from '../../inventory/ports/server-use.js';
import { runIsVisible } from './visible-run.js';

const NAMED = 5;

export async function hasOpenRunIn(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean> {
  const open = await tx.query<unknown[]>(
    'select 1 from executions where tenant_id = $1 and environment_id = $2 and finished_at is null limit 1',
    [tenantId, environmentId],
  );
  return open.length > 0;
}

export async function hasOpenRunOf(tx: EntityManager, tenantId: string, planId: string): Promise<boolean> {
  const open = await tx.query<unknown[]>(
    'select 1 from executions where tenant_id = $1 and plan_id = $2 and finished_at is null limit 1',
    [tenantId, planId],
  );
  return open.length > 0;
}

/** Returns the servers among these that an unfinished run targets. */
export async function inOpenRuns(
  tx: EntityManager,
  tenantId: string,
  serverIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ server_id: string }[]>(
    `select distinct h.server_id from execution_hosts h join executions e on e.id = h.execution_id
      where h.tenant_id = $1 and h.server_id = any ($2) and e.finished_at is null`,
    [tenantId, serverIds],
  );
  return new Set(rows.map(({ server_id }) => server_id));
}

/** Returns unfinished runs per server, oldest first. Runs that the caller cannot see are only counted. */
export async function openRunsOn(
  tx: EntityManager,
  { tenantId, role, userId, limits }: Principal,
  serverIds: readonly string[],
): Promise<Map<string, OpenRunsOn>> {
  const rows = await tx.query<(OpenRun & { serverId: string; visible: boolean; place: number; count: number })[]>(
    `select * from (
        select o.*, row_number() over (partition by "serverId", visible order by id)::int as place,
            count(*) over (partition by "serverId", visible)::int as count
          from (select distinct h.server_id as "serverId", e.id, e.plan_name as "planName", e.start_at as "startAt",
              case q.reason when 'start_time' then 'planned' when 'overlap' then 'queued' else 'other' end as state,
              ${runIsVisible('e', { role: '$3', user: '$4', limits: '$5' })} as visible
            from execution_hosts h join executions e on e.id = h.execution_id
              left join guard_queue q on q.tenant_id = $1 and q.execution_id = e.id
            where h.tenant_id = $1 and h.server_id = any ($2) and e.finished_at is null) o) p
      where place <= ${NAMED} order by id`,
    [tenantId, serverIds, role, userId, limits],
  );
  const found = new Map<string, { seen: OpenRun[]; hidden: number }>();
  for (const { serverId, visible, count, id, planName, state, startAt } of rows) {
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
export async function signedInWith(tx: EntityManager, tenantId: string, keyIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ server_id: string }[]>(
    `select h.server_id from executions e join execution_hosts h on h.tenant_id = $1 and h.execution_id = e.id
        where e.tenant_id = $1 and e.finished_at is null and h.ssh_key_id = any ($2)
      union
      select h.server_id from guard_keys g
        join execution_hosts h on h.tenant_id = $1 and h.execution_id = g.execution_id and h.ssh_key_id = any ($2)
        join host_results r on r.tenant_id = $1 and r.execution_id = h.execution_id and r.server_id = h.server_id
          and r.status = 'UNKNOWN'
        where g.tenant_id = $1
      union
      select j.key::uuid from executions e, jsonb_each(e.snapshot->'jumpServers') j
        where e.tenant_id = $1 and j.value->>'sshKeyId' = any ($3)
          and (e.finished_at is null or e.id in (select execution_id from guard_keys where tenant_id = $1))`,
    [tenantId, keyIds, keyIds],
  );
  return rows.map(({ server_id }) => server_id);
}

/** Oldest first. */
export async function openRunIds(tx: EntityManager, tenantId: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    'select id from executions where tenant_id = $1 and finished_at is null order by id limit $2',
    [tenantId, limit],
  );
  return rows.map(({ id }) => id);
}
