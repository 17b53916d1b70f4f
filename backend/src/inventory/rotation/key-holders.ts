import type { EntityManager } from 'typeorm';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import { KNOWN_HOST_KEYS_SQL } from '../machines/proved-host-keys.js';

/** Why the old public key must stay on a host for now. */
export interface KeyHolder {
  serverId: string;
  /** `run`: an unfinished run signs in with the key; `server`: a server with the same login does. */
  by: 'run' | 'server';
  holderId: string;
  holderName: string;
  /** True: both servers are in the same environment, so a reader of one may see the other. */
  near: boolean;
}

/**
 * SQL for marks of servers. Servers with a common mark may share one `authorized_keys` file. A mark is the login plus
 * the registered address, the last reached address, or a host key. The host key is pinned or proved, and not marked as
 * shared.
 */
const hostMarksSql = (servers: Sql): Sql =>
  sql`select x.id, canonical_address(x.hostname) || ' ' || x.port || ' ' || x.username as mark from ${servers} x
  union select x.id, x.last_reached_address || ' ' || x.port || ' ' || x.username from ${servers} x
    where x.last_reached_address is not null
  union select x.id, p.fingerprint || ' ' || x.username from ${servers} x
    join ${KNOWN_HOST_KEYS_SQL} p on p.tenant_id = x.tenant_id and p.server_id = x.id
    where not exists (select 1 from shared_host_keys k where k.tenant_id = x.tenant_id and k.fingerprint = p.fingerprint)`;

/**
 * Returns the servers from whose hosts the old key must not be removed yet, with one reason each.
 * @param oldKeyIds all records of the old key
 * @param includeRuns servers to which an unfinished run signs in with the old key
 */
export async function findKeyHolders(
  tx: EntityManager,
  tenantId: string,
  serverIds: readonly string[],
  oldKeyIds: readonly string[],
  includeRuns: readonly string[],
): Promise<Map<string, KeyHolder>> {
  const usedByRun = sql`o.id = any (${sql.value(includeRuns)}::uuid[])`;
  const holders = await rows(
    tx,
    sql<KeyHolder>`with asked as materialized (
          select * from servers where tenant_id = ${tenantId} and id = any (${serverIds})),
        holder as materialized (
          select * from servers o where tenant_id = ${tenantId} and (ssh_key_id = any (${oldKeyIds}) or ${usedByRun})),
        mine as materialized (${hostMarksSql(sql.raw('asked'))}),
        theirs as materialized (${hostMarksSql(sql.raw('holder'))})
      select distinct on (a.id) a.id as "serverId", o.id as "holderId", o.name as "holderName",
          case when ${usedByRun} then 'run' else 'server' end as by, a.environment_id = o.environment_id as near
        from mine m join theirs t on t.mark = m.mark
        join asked a on a.id = m.id join holder o on o.id = t.id
        order by a.id, ${usedByRun}, o.id`,
  );
  return new Map(holders.map((holder) => [holder.serverId, holder]));
}
