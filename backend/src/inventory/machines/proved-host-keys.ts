import type { EntityManager } from 'typeorm';
import { affected, rows, sql, type Sql } from '../../common/database/sql.js';
import type { HostKey } from '../../transport/keys/host-key.js';
import { completePins, getPinnedKeys, type StoredPins, toStoredPins } from '../../transport/keys/pinned-key.js';
import { UNPROVED_KEY_TYPE } from '../../transport/keys/ssh-algorithms.js';

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
 * deleted. Some servers send no list. Completes pinned fingerprints with their keys.
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
  await completePinsOf(tx, tenantId, proved);
}

async function completePinsOf(tx: EntityManager, tenantId: string, proved: readonly ProvedKeys[]): Promise<void> {
  const servers = await rows(
    tx,
    sql<StoredPins & { id: string }>`select id, host_key as "hostKey", more_host_keys as "moreHostKeys" from servers
      where tenant_id = ${tenantId} and id = any (${proved.map(({ serverId }) => serverId)}::uuid[])
        and (host_key->>'type' = ${UNPROVED_KEY_TYPE} or more_host_keys @> ${JSON.stringify([{ type: UNPROVED_KEY_TYPE }])}::jsonb)
      order by id for no key update`,
  );
  if (servers.length === 0) return;
  const keys = proved.flatMap((each) => each.keys);
  const completed = servers.map(({ id, ...pins }) => ({
    id,
    ...toStoredPins(completePins(getPinnedKeys(pins), keys)),
  }));
  await affected(
    tx,
    sql`update servers s set host_key = x."hostKey", more_host_keys = x."moreHostKeys"
      from jsonb_to_recordset(${JSON.stringify(completed)}::jsonb) as x (id uuid, "hostKey" jsonb, "moreHostKeys" jsonb)
      where s.tenant_id = ${tenantId} and s.id = x.id`,
  );
  await affected(
    tx,
    sql`update server_host_keys k set type = x.type, public_key = x."publicKey"
      from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as x (type text, "publicKey" text, fingerprint text)
      where k.tenant_id = ${tenantId} and k.server_id = any (${servers.map(({ id }) => id)}::uuid[])
        and k.fingerprint = x.fingerprint and k.type = ${UNPROVED_KEY_TYPE}`,
  );
}
