import { prepared } from '../../common/database/prepared.js';
import { ENVIRONMENTS } from '../../environments/environments.sql.js';
import { KNOWN_HOST_KEYS } from './proved-host-keys.js';

/**
 * Condition on a proof: it is of the address of an asked row. All ports of an address are one machine, unless an admin marked
 * the address as shared by several. The tenant is $1.
 */
export const SAME_ADDRESS = (proof: string, asked: string): string =>
  `${proof}.address = ${asked}.address and ${proof}.fingerprint = '' and (${proof}.port = ${asked}.port
    or not exists (select from shared_addresses h where h.tenant_id = $1 and h.address = ${asked}.address))`;
/** The same of its host key. */
export const SAME_KEY = (proof: string, asked: string): string =>
  `${proof}.fingerprint = ${asked}.fingerprint and ${proof}.fingerprint <> ''`;

/** Condition on a server that left a protected environment: what it protected there still counts. */
export const COUNTS = (departed: string): string =>
  `(${departed}.counts_until is null or ${departed}.counts_until > now())`;

/**
 * The servers that protect what is asked: those of protected environments other than $2 with such a proof, and those that
 * left such an environment and still count there. Unless an approver
 * confirmed it, it does not count against a server that was proved there before. With $4, the creation of a run, what came
 * later does not count either, unless it was confirmed and $5.
 *
 * Each row is looked up by itself, server before environment: `offset 0` keeps PostgreSQL to that order. It plans a join by how
 * many rows it guesses that there are, and of a tenant whose servers have just come it knows none: it may then read all of
 * them for each host.
 * @param same condition on a proof of either server, by its alias
 */
const protecting = (same: (proof: string) => string): string => `
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
        where d.tenant_id = $1 and d.id = p.departure_id and d.environment_id <> $2 and ${COUNTS('d')} offset 0) d) s
  join ${ENVIRONMENTS} e on e.tenant_id = $1 and e.id = s.environment_id and e.protected
  cross join lateral (select greatest(s.since, e.protected_since) as at) began
  where ($4::timestamptz is null or began.at <= $4 or $5::boolean and s.confirmed_at is not null)
    and (s.confirmed_at is not null or not exists (
      select from host_proofs m join servers y on y.tenant_id = $1 and y.id = m.server_id
        where m.tenant_id = $1 and m.server_id = a.id and m.server_id <> s.id and ${same('m')}
          and greatest(m.since, y.environment_since) < began.at))`;

const FOUND_COLUMNS = `s.id as "serverId", s.name as "serverName", e.id as "environmentId", e.name as "environmentName",
    a.id as "askedId", a.name, a.at`;
/** Most that is found of many hosts. */
export const MOST_FOUND = 100;

/**
 * What protects the addresses and host keys of `asked (id, name, address, port, fingerprint, at)`. A key that an admin marked
 * as shared tells no machine.
 */
export const FOUND = `
  select ${FOUND_COLUMNS}, 'address' as by
    from asked a ${protecting((proof) => SAME_ADDRESS(proof, 'a'))}
  union all
  select ${FOUND_COLUMNS}, 'host_key'
    from asked a ${protecting((proof) => SAME_KEY(proof, 'a'))}
      and not exists (select 1 from shared_host_keys h where h.tenant_id = $1 and h.fingerprint = a.fingerprint)
  order by at, by limit ${MOST_FOUND}`;

/** What is asked of the hosts of `given (id, name, hostname, port, reached, pins, at)`: each address and each key is a row. */
export const ASKED = `
  addressed as materialized (
    select id, name, canonical_address(hostname) as address, port, reached, at from given),
  asked as materialized (
    select id, name, address, port, null::text as fingerprint, at from addressed
    union all select id, name, reached, port, null, at from addressed where reached <> address
    union all select g.id, g.name, null, g.port, p->>'fingerprint', g.at from given g, jsonb_array_elements(g.pins) p
      where not coalesce((p->>'authority')::boolean, false)
    union all select g.id, g.name, null, g.port, k.fingerprint, g.at from given g cross join lateral (
      select k.fingerprint from ${KNOWN_HOST_KEYS} k where k.tenant_id = $1 and k.server_id = g.id offset 0) k)`;

const GIVEN = `with given as materialized (
    select x.id, x.name, x.hostname, x.port, x.reached, x.pins, x.at
      from jsonb_to_recordset($3::jsonb) as x (id uuid, name text, hostname text, port int, reached text, pins jsonb, at int)
      where (select exists (select from ${ENVIRONMENTS} e where e.tenant_id = $1 and e.protected and e.id <> $2)))`;
export const AMONG_MANY = `${GIVEN}, ${ASKED} ${FOUND}`;
/**
 * Connections keep the plan of this text alone, hence the comment in it: one from when there were few servers costs a few hosts
 * little until PostgreSQL looks at the table again. For many hosts it is planned each time.
 */
export const AMONG_FEW = prepared(`${AMONG_MANY} -- few`);

/** The same of one host that was reached: $3 is `{id, address, port, fingerprints}`. */
export const REACHED = `with given as (
    select x.* from jsonb_to_record($3::jsonb) as x (id uuid, address text, port int, fingerprints jsonb)),
  asked as materialized (
    select id, '' as name, address, port, null::text as fingerprint, 1 as at from given
    union all select id, '', null, port, f, 2 from given, jsonb_array_elements_text(fingerprints) f)
  ${FOUND}`;
