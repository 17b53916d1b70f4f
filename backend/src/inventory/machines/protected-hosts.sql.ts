import { prepared } from '../../common/database/prepared.js';
import { ENVIRONMENTS } from '../../environments/environments.sql.js';
import { KNOWN_HOST_KEYS } from './proved-host-keys.js';

/**
 * SQL condition: the proof is for the address of the requested row. All ports of an address are one machine, unless an
 * admin marked the address as shared. $1 is the tenant.
 */
export const IS_SAME_ADDRESS_SQL = (proof: string, requested: string): string =>
  `${proof}.address = ${requested}.address and ${proof}.fingerprint = '' and (${proof}.port = ${requested}.port
    or not exists (select from shared_addresses h where h.tenant_id = $1 and h.address = ${requested}.address))`;
export const IS_SAME_KEY_SQL = (proof: string, requested: string): string =>
  `${proof}.fingerprint = ${requested}.fingerprint and ${proof}.fingerprint <> ''`;

/** SQL condition: the server has left a protected environment and still protects its former host. */
export const COUNTS_DEPARTED_SQL = (departed: string): string =>
  `(${departed}.counts_until is null or ${departed}.counts_until > now())`;

/**
 * SQL for the servers that protect a requested address or key. They are in a protected environment other than $2, or
 * have left one and still protect their host. An unconfirmed proof does not count against a server that was proved
 * earlier. If $4 (creation of a run) is set, protection that began later does not count, unless it was confirmed and $5
 * is true.
 *
 * `offset 0` makes PostgreSQL look up each row separately, servers before environments. Otherwise it plans a join by
 * estimated row counts. Without statistics, for example after a first import, that join may read all servers for each
 * host.
 * @param same returns the condition on a proof, for the alias of the proof
 */
const protectingProofsSql = (same: (proof: string) => string): string => `
  cross join lateral (
    select s.id, s.name, s.environment_id, greatest(p.since, s.environment_since) as since, p.confirmed_at
      from (select p.server_id, p.since, p.confirmed_at from host_proofs p
        where p.tenant_id = $1 and ${same('p')} offset 0) p
      cross join lateral (select s.id, s.name, s.environment_id, s.environment_since from servers s
        where s.tenant_id = $1 and s.id = p.server_id and s.environment_id <> $2 offset 0) s
    union all
    select d.server_id, d.server_name, d.environment_id, p.since, p.confirmed_at
      from (select p.departure_id, p.since, p.confirmed_at from departed_proofs p
        where p.tenant_id = $1 and ${same('p')} offset 0) p
      cross join lateral (select d.server_id, d.server_name, d.environment_id from departed_servers d
        where d.tenant_id = $1 and d.id = p.departure_id and d.environment_id <> $2 and ${COUNTS_DEPARTED_SQL('d')} offset 0) d) s
  join ${ENVIRONMENTS} e on e.tenant_id = $1 and e.id = s.environment_id and e.protected
  cross join lateral (select greatest(s.since, e.protected_since) as at) began
  where ($4::timestamptz is null or began.at <= $4 or $5::boolean and s.confirmed_at is not null)
    and (s.confirmed_at is not null or not exists (
      select from host_proofs m join servers y on y.tenant_id = $1 and y.id = m.server_id
        where m.tenant_id = $1 and m.server_id = a.id and m.server_id <> s.id and ${same('m')}
          and greatest(m.since, y.environment_since) < began.at))`;

const FOUND_COLUMNS = `s.id as "serverId", s.name as "serverName", e.id as "environmentId", e.name as "environmentName",
    a.id as "askedId", a.name, a.at`;
export const MAX_FOUND_HOSTS = 100;

/**
 * SQL for the servers that protect an address or host key of `asked (id, name, address, port, fingerprint, at)`. A key
 * marked as shared does not identify a machine.
 */
export const FOUND_HOSTS_SQL = `
  select ${FOUND_COLUMNS}, 'address' as by
    from asked a ${protectingProofsSql((proof) => IS_SAME_ADDRESS_SQL(proof, 'a'))}
  union all
  select ${FOUND_COLUMNS}, 'host_key'
    from asked a ${protectingProofsSql((proof) => IS_SAME_KEY_SQL(proof, 'a'))}
      and not exists (select 1 from shared_host_keys h where h.tenant_id = $1 and h.fingerprint = a.fingerprint)
  order by at, by limit ${MAX_FOUND_HOSTS}`;

/**
 * SQL that expands each host of `given (id, name, hostname, port, reached, pins, at)` to one row per address and per
 * key.
 */
export const REQUESTED_ROWS = `
  addressed as materialized (
    select id, name, canonical_address(hostname) as address, port, reached, at from given),
  asked as materialized (
    select id, name, address, port, null::text as fingerprint, at from addressed
    union all select id, name, reached, port, null, at from addressed where reached <> address
    union all select g.id, g.name, null, g.port, p->>'fingerprint', g.at from given g, jsonb_array_elements(g.pins) p
      where not coalesce((p->>'authority')::boolean, false)
    union all select g.id, g.name, null, g.port, k.fingerprint, g.at from given g cross join lateral (
      select k.fingerprint from ${KNOWN_HOST_KEYS} k where k.tenant_id = $1 and k.server_id = g.id offset 0) k)`;

const REQUESTED_HOSTS_SQL = `with given as materialized (
    select x.id, x.name, x.hostname, x.port, x.reached, x.pins, x.at
      from jsonb_to_recordset($3::jsonb) as x (id uuid, name text, hostname text, port int, reached text, pins jsonb, at int)
      where (select exists (select from ${ENVIRONMENTS} e where e.tenant_id = $1 and e.protected and e.id <> $2)))`;
export const AMONG_MANY_SQL = `${REQUESTED_HOSTS_SQL}, ${REQUESTED_ROWS} ${FOUND_HOSTS_SQL}`;
/**
 * Prepared once per connection, for few hosts. Its cached plan may come from a time with few servers, which costs
 * little for few hosts. The SQL comment makes the text different from `AMONG_MANY_SQL`, which is planned on each call.
 */
export const AMONG_FEW_SQL = prepared(`${AMONG_MANY_SQL} -- few`);

/** SQL for the servers that protect one reached host. $3 is `{id, address, port, fingerprints}`. */
export const REACHED_HOSTS_SQL = `with given as (
    select x.* from jsonb_to_record($3::jsonb) as x (id uuid, address text, port int, fingerprints jsonb)),
  asked as materialized (
    select id, '' as name, address, port, null::text as fingerprint, 1 as at from given
    union all select id, '', null, port, f, 2 from given, jsonb_array_elements_text(fingerprints) f)
  ${FOUND_HOSTS_SQL}`;
