import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql, type Sql } from '../../../common/database/sql.js';
import {
  KNOWN_HOST_KEYS_SQL,
  storeProvedKeys,
  hadProvedKeysSql,
} from '../../../inventory/machines/proved-host-keys.js';
import { SharedHostKeys } from '../../../inventory/machines/same-host-keys.js';
import type { HostKey } from '../../../transport/keys/host-key.js';
import { UNPROVED_KEY_TYPE } from '../../../transport/keys/ssh-algorithms.js';
import type { RunRef } from '../../record/run-head.js';
import { isHostSql, selectHostPairsSql } from '../../record/some-hosts.js';
import type { RunHost } from './run-context.js';

type ClaimingHost = Pick<RunHost, 'serverId' | 'hostname' | 'port' | 'username'>;

export interface MachineClaim {
  /** Name of another host of the run that is the same machine; null: none. */
  other: string | null;
  /** Whether the host's keys have been compared with those of the run's other hosts. */
  compared: boolean;
}

export interface ReachedMachine {
  host: ClaimingHost;
  address: string;
}

/**
 * Lock key for hosts of a run with the same address, port and login. Their transactions run one after another, so each
 * sees what the previous one stored.
 */
export const toClaimLockKey = (address: string, { executionId }: RunRef, { port, username }: ClaimingHost): string =>
  JSON.stringify([executionId, address, port, username]);

/** Marks a host that is the same machine as another host of the run. It starts nothing and blocks no other host. */
const RELEASE_MACHINE_SQL = sql`update execution_hosts set reached_address = null, own_machine = false`;

const IS_SAME_HOST = isHostSql(sql`h`, sql`x`);

const storeAddressesSql = (
  { executionId }: RunRef,
  turns: readonly string[],
  ids: readonly string[],
  addresses: readonly string[],
): Sql => sql.prepared`
  with turn as materialized (
        select count(pg_advisory_xact_lock(hashtextextended(t, 0))) from unnest(${turns}::text[]) t),
      mine as materialized (
        select h.server_id, x.address from turn, ${selectHostPairsSql(
          executionId,
          sql`unnest(${ids}::uuid[], ${addresses}::text[]) reached (server_id, address)`,
        )} x
          join execution_hosts h on ${IS_SAME_HOST}
          where h.reached_address is distinct from x.address
          order by h.server_id for no key update of h)
      update execution_hosts h set reached_address = x.address
        from ${selectHostPairsSql(executionId, sql`mine`)} x where ${IS_SAME_HOST}`;

interface ClaimRow extends MachineClaim {
  server_id: string;
}

/** Reads the hosts at the reached addresses once. A lookup for each host might scan the whole run. */
const selectClaimsSql = ({ tenantId, executionId }: RunRef, reached: readonly ReachedMachine[]): Sql<ClaimRow> => {
  const addresses = sql.value(reached.map(({ address }) => address));
  return sql.prepared<ClaimRow>`
    with near as materialized (
        select h.server_id, h.name, h.jump_server_id, h.reached_address, h.port, h.username, h.own_machine, h.host_key, h.more_host_keys
          from (select distinct ${tenantId}::uuid as tenant_id, ${executionId}::uuid as execution_id, address
              from unnest(${addresses}::text[]) address offset 0) x
          join execution_hosts h on h.tenant_id = x.tenant_id and h.execution_id = x.execution_id and h.reached_address = x.address),
      given as materialized (
        select * from unnest(${reached.map(({ host }) => host.serverId)}::uuid[], ${addresses}::text[],
            ${reached.map(({ host }) => host.port)}::int[], ${reached.map(({ host }) => host.username)}::text[])
          as g (server_id, address, port, username))
      select g.server_id, found.* from given g
      cross join lateral (
        with pins as materialized (
          select h.server_id, h.name, h.jump_server_id, p->>'type' as type, p->>'fingerprint' as fingerprint
            from near h
            left join jsonb_array_elements(coalesce(h.more_host_keys, '[]') || coalesce(h.host_key, '[]')) p
              on not coalesce((p->>'authority')::boolean, false)
            where h.reached_address = g.address and h.port = g.port and h.username = g.username
              and (h.own_machine is not false or h.server_id = g.server_id)),
          own as (select * from pins where server_id = g.server_id)
        select
          (select o.name from pins o where o.server_id <> g.server_id and (
              exists (select from own h, pins k
                where k.server_id = o.server_id and k.fingerprint = h.fingerprint)
              or exists (select from own h where h.jump_server_id is not distinct from o.jump_server_id)
                and not exists (select from own h, pins k where k.server_id = o.server_id and k.type = h.type and k.type <> ${UNPROVED_KEY_TYPE})) limit 1) as other,
          (select h.own_machine is true or ${hadProvedKeysSql(tenantId, sql`h.server_id`, sql`e.created_at`)}
            from near h, executions e where h.server_id = g.server_id and e.id = ${executionId}) as compared) found`;
};

/**
 * Records where a run has reached hosts, unless another host of the run is the same machine with the same login: same
 * address and port, and pinned keys that do not distinguish the two. Two machines behind one address are distinguished
 * by different keys of one type, or by different jump servers.
 * @param reached hosts and the canonical addresses at which they were reached. No two share address, port and login:
 *   `toClaimLockKey` serialises those.
 * @returns results in the order of the hosts
 */
export async function claimMachines(
  tx: EntityManager,
  ref: RunRef,
  reached: readonly ReachedMachine[],
): Promise<MachineClaim[]> {
  if (reached.length === 0) return [];
  // All callers lock and update hosts in sorted order, to avoid deadlocks.
  const turns = reached.map(({ host, address }) => toClaimLockKey(address, ref, host)).sort();
  const ids = reached.map(({ host }) => host.serverId);
  const addresses = reached.map(({ address }) => address);
  const [, claims] = await Promise.all([
    affected(tx, storeAddressesSql(ref, turns, ids, addresses)),
    rows(tx, selectClaimsSql(ref, reached)),
  ]);
  const yieldingIds = claims.filter(({ other }) => other !== null).map(({ server_id }) => server_id);
  if (yieldingIds.length > 0)
    await affected(
      tx,
      sql`${RELEASE_MACHINE_SQL} where execution_id = ${ref.executionId} and server_id = any (${yieldingIds})`,
    );
  const byId = new Map(claims.map(({ server_id, other, compared }) => [server_id, { other, compared }]));
  return ids.map((id) => byId.get(id) ?? { other: null, compared: false });
}

/**
 * Compares the keys that a host proved with the keys of the run's other hosts, and records whether the host is a
 * separate machine. A host that was not compared before yields to an earlier host of the run. A host whose keys were
 * known at the start, or that was already admitted, never yields.
 * @param address canonical address at which the host was reached
 * @param keys all keys that the host proved to own
 * @param excludedIds ids of hosts that the run does not connect to
 * @returns name of the host that is the same machine with the same login; null: none
 */
export async function compareMachineKeys(
  tx: EntityManager,
  shared: SharedHostKeys,
  ref: RunRef,
  host: ClaimingHost,
  { address, keys, excludedIds }: { address: string; keys: readonly HostKey[]; excludedIds: readonly string[] },
): Promise<string | null> {
  const { tenantId, executionId } = ref;
  const { serverId, hostname, port, username } = host;
  const all = keys.map(({ fingerprint }) => fingerprint).sort();
  const sharedAddresses = await shared.findSharedFingerprints(tx, tenantId, all);
  const fingerprints = all.filter((each) => !sharedAddresses.has(each));
  const turns = [
    toClaimLockKey(address, ref, host),
    ...fingerprints.map((each) => JSON.stringify([executionId, each, username])),
  ];
  for (const turn of turns) await row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`);
  await storeProvedKeys(tx, tenantId, [{ serverId, hostname, port, keys }]);
  const other = await row(
    tx,
    sql<{ name: string }>`select o.name from ${KNOWN_HOST_KEYS_SQL} k
        join execution_hosts o on o.tenant_id = ${tenantId} and o.execution_id = ${executionId} and o.server_id = k.server_id
        join execution_hosts h on h.execution_id = ${executionId} and h.server_id = ${serverId}
        join executions e on e.id = h.execution_id
      where k.tenant_id = ${tenantId} and k.fingerprint = any (${fingerprints})
        and o.server_id <> ${serverId} and o.server_id <> all (${excludedIds}::uuid[])
        and o.username = h.username
        and (o.own_machine or o.own_machine is null
          and (o.ordinal < h.ordinal or ${hadProvedKeysSql(tenantId, sql`o.server_id`, sql`e.created_at`)}))
      order by o.ordinal limit 1`,
  );
  const verdict = other ? RELEASE_MACHINE_SQL : sql`update execution_hosts set own_machine = true`;
  await affected(tx, sql`${verdict} where execution_id = ${executionId} and server_id = ${serverId}`);
  return other?.name ?? null;
}
