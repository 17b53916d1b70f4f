import { sql, type Sql } from '../../common/database/sql.js';
import { ENVIRONMENTS_SQL } from '../../environments/environments.sql.js';
import { KNOWN_HOST_KEYS_SQL } from './proved-host-keys.js';

export type SameBy = 'address' | 'host_key';

export interface OtherServer {
  serverId: string;
  serverName: string;
  environmentId: string;
  environmentName: string;
}

export interface ProtectedHost extends OtherServer {
  askedId: string;
  name: string;
  by: SameBy;
}

export interface RunTime {
  createdAt: Date;
  /** Whether a step may have started. If false, later protection applies too, provided it is confirmed. */
  begun: boolean;
}

/** Who looks up hosts and when, as values that a statement sends once. */
export interface HostLookup {
  tenant: unknown;
  environment: unknown;
  /** Creation of a run. Null: protection applies whenever it began. */
  createdAt: unknown;
  /** Whether protection that began after the creation of the run applies too, provided it is confirmed. */
  appliesConfirmed: unknown;
}

export const createHostLookup = (tenantId: string, environmentId: string, run: RunTime | null): HostLookup => ({
  tenant: sql.value(tenantId),
  environment: sql.value(environmentId),
  createdAt: sql.value(run?.createdAt ?? null),
  appliesConfirmed: sql.value(run ? !run.begun : false),
});

/** Returns the condition on a row of proofs. */
type SameHostCondition = (proof: Sql) => Sql;

const REQUESTED_ALIAS_SQL = sql.raw('a');

/**
 * Condition: the proof is for the address of the requested row. All ports of an address are one machine, unless an
 * admin marked the address as shared.
 */
export const isSameAddressSql = (proof: Sql, requested: Sql, tenant: unknown): Sql =>
  sql`${proof}.address = ${requested}.address and ${proof}.fingerprint = '' and (${proof}.port = ${requested}.port
    or not exists (select from shared_addresses h where h.tenant_id = ${tenant} and h.address = ${requested}.address))`;
export const isSameKeySql = (proof: Sql, requested: Sql): Sql =>
  sql`${proof}.fingerprint = ${requested}.fingerprint and ${proof}.fingerprint <> ''`;

/** Condition: the server has left a protected environment and still protects its former host. */
export const isDepartureCountedSql = (departed: Sql): Sql =>
  sql`(${departed}.counts_until is null or ${departed}.counts_until > now())`;

/**
 * Joins the servers that protect a requested address or key. They are in a protected environment other than that of the
 * lookup, or have left one and still protect their host. An unconfirmed proof does not count against a server that was
 * proved earlier. For a run, protection that began after its creation counts only if it was confirmed and no step has
 * begun.
 *
 * `offset 0` makes PostgreSQL look up each row separately, servers before environments. Otherwise it plans a join by
 * estimated row counts. Without statistics, for example after a first import, that join may read all servers for each
 * host.
 */
const joinProtectingProofsSql = (
  { tenant, environment, createdAt, appliesConfirmed }: HostLookup,
  same: SameHostCondition,
): Sql => sql`
  cross join lateral (
    select s.id, s.name, s.environment_id, greatest(p.since, s.environment_since) as since, p.confirmed_at
      from (select p.server_id, p.since, p.confirmed_at from host_proofs p
        where p.tenant_id = ${tenant} and ${same(sql.raw('p'))} offset 0) p
      cross join lateral (select s.id, s.name, s.environment_id, s.environment_since from servers s
        where s.tenant_id = ${tenant} and s.id = p.server_id and s.environment_id <> ${environment} offset 0) s
    union all
    select d.server_id, d.server_name, d.environment_id, p.since, p.confirmed_at
      from (select p.departure_id, p.since, p.confirmed_at from departed_proofs p
        where p.tenant_id = ${tenant} and ${same(sql.raw('p'))} offset 0) p
      cross join lateral (select d.server_id, d.server_name, d.environment_id from departed_servers d
        where d.tenant_id = ${tenant} and d.id = p.departure_id and d.environment_id <> ${environment}
          and ${isDepartureCountedSql(sql.raw('d'))} offset 0) d) s
  join ${ENVIRONMENTS_SQL} e on e.tenant_id = ${tenant} and e.id = s.environment_id and e.protected
  cross join lateral (select greatest(s.since, e.protected_since) as at) began
  where (${createdAt}::timestamptz is null or began.at <= ${createdAt}::timestamptz
      or ${appliesConfirmed}::boolean and s.confirmed_at is not null)
    and (s.confirmed_at is not null or not exists (
      select from host_proofs m join servers y on y.tenant_id = ${tenant} and y.id = m.server_id
        where m.tenant_id = ${tenant} and m.server_id = a.id and m.server_id <> s.id and ${same(sql.raw('m'))}
          and greatest(m.since, y.environment_since) < began.at))`;

const PROTECTED_HOST_COLUMNS_SQL = sql`s.id as "serverId", s.name as "serverName", e.id as "environmentId", e.name as "environmentName",
    a.id as "askedId", a.name, a.at`;
export const MAX_FOUND_HOSTS = 100;

/**
 * Finds the servers that protect an address or host key. A key marked as shared does not identify a machine.
 * @param requested common table expressions, with `asked (id, name, address, port, fingerprint, at)` among them
 */
const findProtectorsSql = (
  requested: Sql,
  lookup: HostLookup,
): Sql<ProtectedHost> => sql<ProtectedHost>`with ${requested}
  select ${PROTECTED_HOST_COLUMNS_SQL}, 'address' as by
    from asked a ${joinProtectingProofsSql(lookup, (proof) => isSameAddressSql(proof, REQUESTED_ALIAS_SQL, lookup.tenant))}
  union all
  select ${PROTECTED_HOST_COLUMNS_SQL}, 'host_key'
    from asked a ${joinProtectingProofsSql(lookup, (proof) => isSameKeySql(proof, REQUESTED_ALIAS_SQL))}
      and not exists (select 1 from shared_host_keys h where h.tenant_id = ${lookup.tenant} and h.fingerprint = a.fingerprint)
  order by at, by limit ${sql.raw(`${MAX_FOUND_HOSTS}`)}`;

/**
 * Common table expressions that expand each host of `given (id, name, hostname, port, reached, pins, at)` to one row
 * per address and per key.
 */
const requestedHostRowsSql = (tenant: unknown): Sql => sql`
  addressed as materialized (
    select id, name, canonical_address(hostname) as address, port, reached, at from given),
  asked as materialized (
    select id, name, address, port, null::text as fingerprint, at from addressed
    union all select id, name, reached, port, null, at from addressed where reached <> address
    union all select g.id, g.name, null, g.port, p->>'fingerprint', g.at from given g, jsonb_array_elements(g.pins) p
      where not coalesce((p->>'authority')::boolean, false)
    union all select g.id, g.name, null, g.port, k.fingerprint, g.at from given g cross join lateral (
      select k.fingerprint from ${KNOWN_HOST_KEYS_SQL} k where k.tenant_id = ${tenant} and k.server_id = g.id offset 0) k)`;

/** @param hosts JSON list of `{id, name, hostname, port, reached, pins, at}` */
export const findProtectorsOfManySql = (hosts: string, lookup: HostLookup): Sql<ProtectedHost> =>
  findProtectorsSql(
    sql`given as materialized (
      select x.id, x.name, x.hostname, x.port, x.reached, x.pins, x.at from jsonb_to_recordset(${hosts}::jsonb)
          as x (id uuid, name text, hostname text, port int, reached text, pins jsonb, at int)
        where (select exists (select from ${ENVIRONMENTS_SQL} e
          where e.tenant_id = ${lookup.tenant} and e.protected and e.id <> ${lookup.environment}))),
      ${requestedHostRowsSql(lookup.tenant)}`,
    lookup,
  );

/**
 * Prepared once per connection, for few hosts. Its cached plan may come from a time with few servers, which costs
 * little for few hosts. The SQL comment makes the text different from `findProtectorsOfManySql`, which is planned on each
 * call.
 */
export const findProtectorsOfFewSql = (hosts: string, lookup: HostLookup): Sql<ProtectedHost> =>
  sql.prepared<ProtectedHost>`${findProtectorsOfManySql(hosts, lookup)} -- few`;

/**
 * @param hosts query that returns hosts: server id `id`, `name`, `hostname`, `port`, canonical address `reached`,
 *   `pins` (json), and position `at`
 */
export const findProtectorsOfQuerySql = (hosts: Sql, lookup: HostLookup): Sql<ProtectedHost> =>
  findProtectorsSql(
    sql`given as materialized (
      select host.id, host.name, host.hostname, host.port, host.reached, host.pins, host.at from (${hosts}) host),
      ${requestedHostRowsSql(lookup.tenant)}`,
    lookup,
  );

/** Servers that protect one reached host. @param host JSON of `{id, address, port, fingerprints}` */
export const findProtectorsOfReachedHostSql = (host: string, lookup: HostLookup): Sql<ProtectedHost> =>
  findProtectorsSql(
    sql`given as (
      select x.* from jsonb_to_record(${host}::jsonb) as x (id uuid, address text, port int, fingerprints jsonb)),
    asked as materialized (
      select id, '' as name, address, port, null::text as fingerprint, 1 as at from given
      union all select id, '', null, port, f, 2 from given, jsonb_array_elements_text(fingerprints) f)`,
    lookup,
  );
