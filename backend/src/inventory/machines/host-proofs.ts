import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { ENVIRONMENTS_SQL } from '../../environments/environments.sql.js';
import type { HostKey } from '../../transport/keys/host-key.js';

export type ProofSource = 'check' | 'schedule' | 'enrolment' | 'run';

export interface HostProof {
  serverId: string;
  /** Registered value at the time of the login. If it has changed since, the proof is ignored. */
  hostname: string;
  port: number;
  reachedAddress: string;
  keys: readonly HostKey[];
  by: ProofSource;
  executionId?: string;
}

/**
 * Maximum number of proved host keys per server; the latest are kept. A limit is needed because a host may change its
 * keys repeatedly.
 */
const MAX_PROVED_KEYS = 100;

/**
 * Stores proofs of logins: one for the registered address, one for the reached address, and one for each key at the
 * reached address. Existing proofs keep their time, so that the first proof counts. Proofs of earlier addresses are
 * deleted, proofs of keys are kept.
 */
export async function storeHostProofs(
  tx: EntityManager,
  tenantId: string,
  proofs: readonly HostProof[],
): Promise<void> {
  if (proofs.length === 0) return;
  const given = proofs.map(({ serverId, hostname, port, reachedAddress, keys, by, executionId }) => ({
    ...{ id: serverId, hostname, port, reached: reachedAddress, by, run: executionId ?? null },
    fingerprints: keys.map(({ fingerprint }) => fingerprint),
  }));
  const stored = await rows(
    tx,
    sql<{ id: string }>`with given as materialized (
        select s.id, s.address, s.port, x.reached, x.fingerprints, x.by, x.run
          from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as x
            (id uuid, hostname text, port int, reached text, fingerprints jsonb, by text, run uuid)
          join servers s on s.tenant_id = ${tenantId} and s.id = x.id and s.hostname = x.hostname and s.port = x.port),
      gone as (
        delete from host_proofs p using given g
          where p.tenant_id = ${tenantId} and p.server_id = g.id and p.fingerprint = '' and p.confirmed_at is null
            and p.address <> g.address and p.address <> g.reached),
      wanted as (
        select id, address, port, '' as fingerprint, by, run from given
        union select id, reached, port, '', by, run from given
        union select id, reached, port, f, by, run from given, jsonb_array_elements_text(fingerprints) f),
      -- Most is known already, and is not written again.
      fresh as (
        select distinct on (w.id, w.address, w.port, w.fingerprint) w.* from wanted w
          where not exists (select from host_proofs p where p.tenant_id = ${tenantId} and p.server_id = w.id
            and p.address = w.address and p.port = w.port and p.fingerprint = w.fingerprint and p.proved_at is not null))
      insert into host_proofs (tenant_id, server_id, address, port, fingerprint, proved_at, proved_by, execution_id)
        -- Workers that store at the same time must not wait for each other in a circle.
        select ${tenantId}::uuid, id, address, port, fingerprint, statement_timestamp(), by, run from fresh
          order by id, address, port, fingerprint
        on conflict (tenant_id, server_id, address, port, fingerprint) do update
          set proved_at = excluded.proved_at, proved_by = excluded.proved_by, execution_id = excluded.execution_id
          where host_proofs.proved_at is null
        returning server_id as id`,
  );
  if (stored.length === 0) return;
  const storedIds = [...new Set(stored.map(({ id }) => id))];
  await affected(
    tx,
    sql`delete from host_proofs p using (
        select server_id, address, port, fingerprint,
            row_number() over (partition by server_id order by since desc, fingerprint) as place
          from host_proofs where tenant_id = ${tenantId} and server_id = any (${storedIds}::uuid[])
            and fingerprint <> '' and confirmed_at is null) old
      where old.place > ${MAX_PROVED_KEYS} and p.tenant_id = ${tenantId} and p.server_id = old.server_id and p.address = old.address
        and p.port = old.port and p.fingerprint = old.fingerprint`,
  );
}

/**
 * Confirms that servers are the hosts at their registered addresses with their pinned keys.
 * @param scope `proofs`: also confirms all stored proofs
 */
export async function confirmHostProofs(
  tx: EntityManager,
  tenantId: string,
  serverIds: readonly string[],
  by: Pick<Principal, 'userId' | 'name'>,
  scope: 'registered' | 'proofs' = 'registered',
): Promise<void> {
  const ids = sql.value(serverIds);
  await affected(
    tx,
    sql`with registered as (
        select s.id, s.address, s.port, k.fingerprint
          from servers s cross join lateral (
            select '' union select p->>'fingerprint' from jsonb_array_elements(s.more_host_keys || coalesce(s.host_key, '[]')) p
              where not coalesce((p->>'authority')::boolean, false)) k (fingerprint)
          where s.tenant_id = ${tenantId} and s.id = any (${ids}::uuid[])),
      known as (
        update host_proofs p set confirmed_at = statement_timestamp(), confirmed_by = ${by.name},
            confirmed_by_id = ${by.userId}
          where p.tenant_id = ${tenantId} and p.server_id = any (${ids}::uuid[]) and p.confirmed_at is null
            and (${scope === 'proofs'}::boolean or exists (select from registered r where r.id = p.server_id and r.fingerprint = p.fingerprint
              and (r.address = p.address or p.fingerprint <> ''))))
      insert into host_proofs (tenant_id, server_id, address, port, fingerprint, confirmed_at, confirmed_by, confirmed_by_id)
        select ${tenantId}::uuid, id, address, port, fingerprint, statement_timestamp(), ${by.name}::text, ${by.userId}::uuid
          from registered order by id, fingerprint
        on conflict do nothing`,
  );
}

/**
 * Deletes the proofs and confirmations of a server; the next login creates new proofs. The server's protection of its
 * former host continues for a limited time.
 */
export async function deleteHostProofs(tx: EntityManager, tenantId: string, serverId: string): Promise<void> {
  await row(
    tx,
    sql`select depart_server(tenant_id, environment_id, id, name, environment_since, 'forgotten')
      from servers where tenant_id = ${tenantId} and id = ${serverId}`,
  );
  await affected(tx, sql`delete from host_proofs where tenant_id = ${tenantId} and server_id = ${serverId}`);
}

export interface StoredProof {
  address: string;
  port: number;
  /** Empty: the proof covers the address only. */
  fingerprint: string;
  provedAt: Date | null;
  provedBy: string | null;
  executionId: string | null;
  confirmedAt: Date | null;
  confirmedBy: string | null;
  confirmedById: string | null;
  /**
   * Time since which the server protects its host: time of its first proof, but not before the environment became
   * protected.
   */
  protectsSince: Date;
}

export const readHostProofs = (tx: EntityManager, tenantId: string, serverId: string): Promise<StoredProof[]> =>
  rows(
    tx,
    sql<StoredProof>`select p.address, p.port, p.fingerprint, p.proved_at as "provedAt", p.proved_by as "provedBy", p.execution_id as "executionId",
        p.confirmed_at as "confirmedAt", p.confirmed_by as "confirmedBy", p.confirmed_by_id as "confirmedById",
        greatest(min(p.since) over (), s.environment_since, e.protected_since) as "protectsSince"
      from host_proofs p join servers s on s.tenant_id = ${tenantId} and s.id = p.server_id
        join ${ENVIRONMENTS_SQL} e on e.tenant_id = ${tenantId} and e.id = s.environment_id
      where p.tenant_id = ${tenantId} and p.server_id = ${serverId}
      order by greatest(p.proved_at, p.confirmed_at) desc, p.fingerprint, p.address limit 200`,
  );
