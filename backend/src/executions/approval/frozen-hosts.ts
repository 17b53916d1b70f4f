import type { EntityManager } from 'typeorm';
import type { KeyedHost, SameHostKeys, SameKeyPair } from '../../inventory/machines/same-host-keys.js';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import type { QueriedHost } from '../../inventory/machines/protected-hosts.js';
import { ENABLED_SERVERS_SQL } from '../../inventory/ports/servers.sql.js';
import type { RunRef } from '../record/run-head.js';

/** Query for the frozen hosts of a run, or for some of them, with the addresses that the run connected to. */
export const selectFrozenHostsSql = ({ executionId }: RunRef, ids: readonly string[] | null = null): Sql<QueriedHost> =>
  sql<QueriedHost>`select server_id as id, name, hostname, port, reached_address as reached,
      coalesce(more_host_keys, '[]') || coalesce(host_key, '[]') as pins, ordinal as at
    from execution_hosts where execution_id = ${executionId} ${ids ? sql`and server_id = any (${ids}::uuid[])` : sql.none}`;

/** Returns pairs of hosts of a run with the same host key, which are one machine. Empty once a step has begun. */
export async function findHostsChangedBeforeStart(
  tx: EntityManager,
  { tenantId, executionId }: RunRef,
  sameKeys: SameHostKeys,
): Promise<SameKeyPair<{ name: string }>[]> {
  const hosts = await rows(
    tx,
    sql<KeyedHost>`
      select server_id as id, name, username, host_key as "hostKey", more_host_keys as "moreHostKeys" from execution_hosts
      where tenant_id = ${tenantId} and execution_id = ${executionId}
        and not exists (select 1 from execution_steps where execution_id = ${executionId} and started_at is not null)
      order by ordinal`,
  );
  return sameKeys.findSameKeyPairs(tx, tenantId, hosts);
}

/**
 * Returns the names of at most `limit` hosts of a run that are no longer enabled servers of the environment. Empty once
 * a step has begun, because such a run continues.
 */
export async function findHostsMissingBeforeStart(
  tx: EntityManager,
  { tenantId, executionId }: RunRef,
  environmentId: string,
  limit: number,
): Promise<string[]> {
  const missing = await rows(
    tx,
    sql<{ name: string }>`
      select h.name from execution_hosts h
      where h.execution_id = ${executionId}
        and not exists (select 1 from execution_steps where execution_id = ${executionId} and started_at is not null)
        and not exists (select 1 from ${ENABLED_SERVERS_SQL} s
          where s.tenant_id = ${tenantId} and s.id = h.server_id and s.environment_id = ${environmentId})
      order by h.ordinal limit ${limit}`,
  );
  return missing.map(({ name }) => name);
}
