import type { EntityManager } from 'typeorm';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import type { OtherServerItem } from '../../common/errors/problem.js';
import { ENVIRONMENTS_SQL } from '../../environments/environments.sql.js';
import { filterHostKeys, type PinnedKey } from '../../transport/keys/pinned-key.js';
import { isSameAddressSql, isSameKeySql, type OtherServer, type SameBy } from './protected-hosts.sql.js';

export interface HostClaim {
  id: string;
  name: string;
  /** Null = the claim is only for the keys. */
  hostname: string | null;
  port: number;
  fingerprints: readonly string[];
}

/** Claim on a host that was proved or confirmed earlier for a server of another environment. */
export interface HostCollision extends OtherServer {
  askedId: string;
  name: string;
  by: SameBy;
}

const CLAIM_ALIAS_SQL = sql.raw('a');
const MAX_COLLISIONS = 1000;
const MAX_NAMED_SERVERS = 5;

export const toHostClaim = (
  { id, name, hostname, port }: Pick<HostClaim, 'id' | 'name' | 'hostname' | 'port'>,
  pins: readonly PinnedKey[],
): HostClaim => ({
  ...{ id, name, hostname, port },
  fingerprints: filterHostKeys(pins).map(({ fingerprint }) => fingerprint),
});

export const getNewPins = (pins: readonly PinnedKey[], before: readonly PinnedKey[]): PinnedKey[] =>
  pins.filter(({ fingerprint }) => !before.some((known) => known.fingerprint === fingerprint));

/** Claim on hosts, as values that a statement sends once. */
interface ClaimPlace {
  tenant: unknown;
  environment: unknown;
}

const toClaimPlace = (tenantId: string, environmentId: string): ClaimPlace => ({
  tenant: sql.value(tenantId),
  environment: sql.value(environmentId),
});

const joinProofsElsewhereSql = ({ tenant, environment }: ClaimPlace, same: (proof: Sql) => Sql): Sql => sql`
  cross join lateral (select p.server_id, p.since from host_proofs p
    where p.tenant_id = ${tenant} and ${same(sql.raw('p'))} offset 0) p
  cross join lateral (select s.id, s.name, s.environment_id, s.environment_since from servers s
    where s.tenant_id = ${tenant} and s.id = p.server_id and s.environment_id <> ${environment} offset 0) s
  join ${ENVIRONMENTS_SQL} e on e.tenant_id = ${tenant} and e.id = s.environment_id`;

/** Condition: the other server was proved before the claim was protected. A later proof does not block a claim. */
const WAS_PROVED_EARLIER_SQL = sql`(a.since is null or greatest(p.since, s.environment_since) < a.since)`;

const COLLISION_COLUMNS_SQL = sql`a.id as "askedId", a.name, s.id as "serverId", s.name as "serverName", e.id as "environmentId", e.name as "environmentName"`;

/**
 * @param requested query for the claimed addresses and keys, with the columns `id` (of the server), `name`, `address`,
 *   `port`, `fingerprint` and `since`. `since` is the start of their protection; null = not protected yet.
 */
const findCollisionsSql = (requested: Sql, place: ClaimPlace): Sql<HostCollision> => sql<HostCollision>`
  with asked as materialized (${requested}),
    -- Of servers that come together none keeps the other away.
    coming as materialized (select distinct id from asked)
  select ${COLLISION_COLUMNS_SQL}, 'address' as by from asked a ${joinProofsElsewhereSql(place, (proof) => isSameAddressSql(proof, CLAIM_ALIAS_SQL, place.tenant))}
    where not exists (select from coming c where c.id = s.id) and ${WAS_PROVED_EARLIER_SQL}
  union all
  select ${COLLISION_COLUMNS_SQL}, 'host_key' from asked a ${joinProofsElsewhereSql(place, (proof) => isSameKeySql(proof, CLAIM_ALIAS_SQL))}
    where not exists (select from coming c where c.id = s.id) and ${WAS_PROVED_EARLIER_SQL}
      and not exists (select 1 from shared_host_keys h where h.tenant_id = ${place.tenant} and h.fingerprint = a.fingerprint)
  order by 2, 4, 7 limit ${MAX_COLLISIONS}::int`;

/** @param claiming condition on the servers `s` */
const findCollisionsOfServersSql = (claiming: Sql, place: ClaimPlace): Sql<HostCollision> => {
  const requested = sql`
    select s.id, s.name, s.address, s.port, null::text as fingerprint, null::timestamptz as since from servers s
      where ${claiming}
    union select s.id, s.name, p.address, p.port, nullif(p.fingerprint, ''), null from servers s
      join host_proofs p on p.tenant_id = ${place.tenant} and p.server_id = s.id where ${claiming}
    union select s.id, s.name, null, s.port, k->>'fingerprint', null from servers s,
      jsonb_array_elements(s.more_host_keys || coalesce(s.host_key, '[]')) k
      where ${claiming} and not coalesce((k->>'authority')::boolean, false)`;
  return findCollisionsSql(requested, place);
};

/** Returns the first thousand collisions of claims with hosts that were proved in other environments. */
export async function findCollisions(
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  claimed: readonly HostClaim[],
): Promise<HostCollision[]> {
  if (claimed.length === 0) return [];
  const claims = sql`jsonb_to_recordset(${sql.value(JSON.stringify(claimed))}::jsonb)
    as x (id uuid, name text, hostname text, port int, fingerprints jsonb)`;
  const requested = sql`
    select x.id, x.name, canonical_address(x.hostname) as address, x.port, null::text as fingerprint,
        null::timestamptz as since
      from ${claims}
    union all select x.id, x.name, null, x.port, f, null from ${claims}, jsonb_array_elements_text(x.fingerprints) f`;
  return rows(tx, findCollisionsSql(requested, toClaimPlace(tenantId, environmentId)));
}

/**
 * Returns the collisions of an environment's servers, or of one server, with their registered and proved addresses and
 * keys.
 */
export const findCollisionsInEnvironment = (
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  serverId?: string,
): Promise<HostCollision[]> => {
  const place = toClaimPlace(tenantId, environmentId);
  const ofEnvironment = sql`s.tenant_id = ${place.tenant} and s.environment_id = ${place.environment}`;
  const claiming = serverId === undefined ? ofEnvironment : sql`${ofEnvironment} and s.id = ${serverId}::uuid`;
  return rows(tx, findCollisionsOfServersSql(claiming, place));
};

const unconfirmedProofsSql = (serverId: string, { tenant }: ClaimPlace): Sql => sql`
  select s.id, s.name, p.address, p.port, nullif(p.fingerprint, '') as fingerprint,
      greatest(p.since, s.environment_since, e.protected_since) as since
    from host_proofs p join servers s on s.tenant_id = ${tenant} and s.id = p.server_id
      join ${ENVIRONMENTS_SQL} e on e.tenant_id = ${tenant} and e.id = s.environment_id and e.protected
    where p.tenant_id = ${tenant} and p.server_id = ${serverId}::uuid and p.confirmed_at is null`;

/** Returns servers of other environments that were proved to be the same host before this server was. */
export const findCollisionsOfProvedHosts = (
  tx: EntityManager,
  tenantId: string,
  { id, environmentId }: { id: string; environmentId: string },
): Promise<HostCollision[]> => {
  const place = toClaimPlace(tenantId, environmentId);
  return rows(tx, findCollisionsSql(unconfirmedProofsSql(id, place), place));
};

/** Explains a refusal. It does not name the other servers, because not every caller may see them. */
export function formatCollisions(found: readonly Pick<HostCollision, 'name' | 'by'>[]): string {
  const names = [...new Set(found.map(({ name }) => `"${name}"`))];
  const named = names.slice(0, MAX_NAMED_SERVERS).join(', ');
  const more = names.length > MAX_NAMED_SERVERS ? ` and ${names.length - MAX_NAMED_SERVERS} others` : '';
  const isSameKey = found[0]?.by === 'host_key';
  const what = isSameKey ? 'host key' : 'address';
  const shared = isSameKey ? '' : ' or mark the address as shared by several machines';
  return `${named}${more}: Runward already signed in to the host of this ${what} for a server in another environment. A protected environment would block that server's runs there. Register another host, or ask an admin, who can confirm this one (confirmHosts)${shared}.`;
}

export function groupByClaimant(found: readonly HostCollision[]): Map<string, HostCollision[]> {
  const groups = new Map<string, HostCollision[]>();
  for (const each of found) groups.set(each.askedId, [...(groups.get(each.askedId) ?? []), each]);
  return groups;
}

export const toOtherServerItem = (each: OtherServer & { name: string; by: SameBy }): OtherServerItem => ({
  name: each.name,
  by: each.by,
  serverId: each.serverId,
  serverName: each.serverName,
  environmentId: each.environmentId,
  environmentName: each.environmentName,
});

export const toOtherServerItems = (
  found: readonly (OtherServer & { name: string; by: SameBy })[],
): OtherServerItem[] => [
  ...new Map(found.map((each) => [`${each.name} ${each.serverId}`, toOtherServerItem(each)])).values(),
];
