import type { EntityManager } from 'typeorm';
import { affected, sql, type Sql } from '../../common/database/sql.js';
import type { HostKey } from '../../transport/keys/host-key.js';

/**
 * Relation of the host keys of servers: pinned keys without certificate authorities, and proved keys. May contain
 * duplicates.
 */
export const KNOWN_HOST_KEYS_SQL = sql`(
  select tenant_id, server_id, fingerprint from server_host_keys where retired_at is null and not authority
  union all select tenant_id, server_id, fingerprint from proved_host_keys)`;

/** Condition: the server had proved keys at this time. */
export const hadProvedKeysSql = (tenantId: string, serverId: Sql, time: Sql): Sql =>
  sql`exists (select from proved_host_keys proved
    where proved.tenant_id = ${tenantId} and proved.server_id = ${serverId} and proved.proved_at < ${time})`;

export interface ProvedKeys {
  serverId: string;
  /** Registered value at the time of the login. If it has changed since, the keys are ignored. */
  hostname: string;
  port: number;
  keys: readonly HostKey[];
}

/**
 * Stores proved host keys. If the host listed more than the key of the handshake, stored keys missing from its list are
 * deleted. Some servers send no list.
 */
export async function storeProvedKeys(
  tx: EntityManager,
  tenantId: string,
  proved: readonly ProvedKeys[],
): Promise<void> {
  const given = proved.flatMap(({ serverId, hostname, port, keys }) =>
    keys.map(({ fingerprint }) => ({ id: serverId, hostname, port, fingerprint, whole: keys.length > 1 })),
  );
  if (given.length === 0) return;
  await affected(
    tx,
    sql`with given as materialized (
        select x.id, x.fingerprint, x.whole
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
            as x (id uuid, hostname text, port int, fingerprint text, whole boolean)
          join servers s on s.tenant_id = ${tenantId} and s.id = x.id and s.hostname = x.hostname and s.port = x.port),
      gone as (
        delete from proved_host_keys k using (select distinct id from given where whole) w
          where k.tenant_id = ${tenantId} and k.server_id = w.id
            and not exists (select from given g where g.id = k.server_id and g.fingerprint = k.fingerprint))
      insert into proved_host_keys (tenant_id, server_id, fingerprint)
        -- Workers that store at the same time must not wait for each other in a circle.
        select distinct ${tenantId}::uuid, id, fingerprint from given order by id, fingerprint
        on conflict do nothing`,
  );
}
