import { prepared } from '../../common/database/prepared.js';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { pinsOf, type StoredPins } from '../../transport/keys/pinned-key.js';
import { ENVIRONMENTS } from '../../environments/environments.sql.js';
import { KNOWN_HOST_KEYS } from './proved-host-keys.js';

/** By what a server is found to be the machine of a server in another, protected environment. */
export type SameBy = 'address' | 'host_key';

/** A server that is, or may be, a machine of another, protected environment. */
export interface ProtectedHost {
  serverName: string;
  by: SameBy;
}

/** A host that may be a protected one. */
export interface AskedHost extends StoredPins {
  /** Of its server. */
  id: string;
  name: string;
  hostname: string;
  port: number;
  /** Canonical, of its latest connection. */
  lastReachedAddress?: string | null;
}

/** What was reached, and the keys that it may show. */
export interface ShownHost {
  /** Canonical; null: only the keys are asked about. */
  address: string | null;
  port: number;
  fingerprints: readonly string[];
}

/** A query for hosts: `id` (of the server), `name`, `hostname`, `port`, `reached` (canonical), `pins` (json), and their order as `at`. */
export interface HostsQuery {
  sql: string;
  /** What `$3` stands for in it. */
  parameter: string;
}

/** Keys of servers of protected environments other than $2, pinned or proved, that no admin marked as shared. */
const KEYS_OF_OTHERS = `${KNOWN_HOST_KEYS} k
    join servers s on s.tenant_id = $1 and s.id = k.server_id
    join ${ENVIRONMENTS} e on e.tenant_id = s.tenant_id and e.id = s.environment_id and e.protected
    where k.tenant_id = $1 and s.environment_id <> $2
      and not exists (select 1 from shared_host_keys h where h.tenant_id = $1 and h.fingerprint = k.fingerprint)`;

/**
 * Each row is looked up by itself, server before environment: `offset 0` keeps PostgreSQL to that order. It plans a join by how
 * many rows it guesses that there are, and of a tenant whose servers have just come it knows none: it may then read all of
 * them for each host.
 */
const ofServers = (condition: string): string => `
  cross join lateral (select s.environment_id from servers s
    where s.tenant_id = $1 and s.environment_id <> $2 and ${condition} offset 0) s
  join ${ENVIRONMENTS} e on e.tenant_id = $1 and e.id = s.environment_id and e.protected`;

/**
 * The servers of protected environments other than $2 that have an address (registered, or reached last) or a host key
 * of `asked (name, address, port, fingerprint, at)`. A key that an admin marked as shared tells no machine, nor does a
 * certificate authority.
 */
const FOUND = `
  select a.name as "serverName", 'address' as by, a.at
    from asked a ${ofServers('s.address = a.address and s.port = a.port')}
  union all
  select a.name, 'address', a.at
    from asked a ${ofServers('s.last_reached_address = a.address and s.port = a.port')}
  union all
  select a.name, 'host_key', a.at
    from asked a
    cross join lateral (select k.server_id from ${KNOWN_HOST_KEYS} k
      where k.tenant_id = $1 and k.fingerprint = a.fingerprint offset 0) k
    ${ofServers('s.id = k.server_id')}
    where not exists (select 1 from shared_host_keys h where h.tenant_id = $1 and h.fingerprint = a.fingerprint)
  order by 3, 2 limit 1`;

/** What is asked of the hosts of `given (id, name, hostname, port, reached, pins, at)`: each address and each key is a row. */
const ASKED = `
  addressed as materialized (
    select name, canonical_address(hostname) as address, port, reached, at from given),
  asked as materialized (
    select name, address, port, null::text as fingerprint, at from addressed
    union all select name, reached, port, null, at from addressed where reached <> address
    union all select g.name, null, g.port, p->>'fingerprint', g.at from given g, jsonb_array_elements(g.pins) p
      where not coalesce((p->>'authority')::boolean, false)
    union all select g.name, null, g.port, k.fingerprint, g.at from given g cross join lateral (
      select k.fingerprint from ${KNOWN_HOST_KEYS} k where k.tenant_id = $1 and k.server_id = g.id offset 0) k)`;

const GIVEN = `with given as materialized (
    select x.id, x.name, x.hostname, x.port, x.reached, x.pins, x.at
      from jsonb_to_recordset($3::jsonb) as x (id uuid, name text, hostname text, port int, reached text, pins jsonb, at int)
      where (select exists (select from ${ENVIRONMENTS} e where e.tenant_id = $1 and e.protected and e.id <> $2)))`;
const AMONG_MANY = `${GIVEN}, ${ASKED} ${FOUND}`;
/**
 * Connections keep the plan of this text alone, hence the comment in it: one from when there were few servers costs a few hosts
 * little until PostgreSQL looks at the table again. For many hosts it is planned each time.
 */
const AMONG_FEW = prepared(`${AMONG_MANY} -- few`);
const FEW = 50;

/**
 * Keeps the invariant that a host of a protected environment is only ever reached by an approved run, whatever name and
 * environment else it is registered under.
 */
@Injectable()
export class ProtectedHosts {
  /** The first of these servers that is a machine of another, protected environment; null: none is. */
  async amongServers(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    servers: readonly AskedHost[],
  ): Promise<ProtectedHost | null> {
    const given = servers.map((server, at) => ({
      id: server.id,
      name: server.name,
      hostname: server.hostname,
      port: server.port,
      reached: server.lastReachedAddress ?? null,
      pins: pinsOf(server).map(({ fingerprint, authority }) => ({ fingerprint, authority })),
      at,
    }));
    const [row] = await tx.query<ProtectedHost[]>(given.length <= FEW ? AMONG_FEW : AMONG_MANY, [
      tenantId,
      environmentId,
      JSON.stringify(given),
    ]);
    return row ?? null;
  }

  /** The same for the hosts that a query of the caller's finds. */
  async amongFound(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    { sql, parameter }: HostsQuery,
  ): Promise<ProtectedHost | null> {
    // A run asks this for all its hosts before each step.
    if (!(await hasOthers(tx, tenantId, environmentId))) return null;
    const [row] = await tx.query<ProtectedHost[]>(
      `with given as materialized (
          select host.id, host.name, host.hostname, host.port, host.reached, host.pins, host.at from (${sql}) host),
        ${ASKED} ${FOUND}`,
      [tenantId, environmentId, parameter],
    );
    return row ?? null;
  }

  /**
   * Those of the host keys that are pinned for such servers, and not marked as shared.
   * @param leaving ids of servers that leave where they are, and so count no more
   */
  async keysOfOthers(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    fingerprints: readonly string[],
    leaving: readonly string[] = [],
  ): Promise<Set<string>> {
    if (fingerprints.length === 0) return new Set();
    const rows = await tx.query<{ fingerprint: string }[]>(
      `select distinct k.fingerprint from ${KEYS_OF_OTHERS} and k.fingerprint = any ($3) and s.id <> all ($4::uuid[])`,
      [tenantId, environmentId, fingerprints, leaving],
    );
    return new Set(rows.map(({ fingerprint }) => fingerprint));
  }

  /** Whether what was reached at this address is such a machine, by the address or by the keys that it may show; null: not. */
  async reached(tx: EntityManager, tenantId: string, environmentId: string, shown: ShownHost): Promise<SameBy | null> {
    const [by = null] = await this.reachedEach(tx, tenantId, environmentId, [shown]);
    return by;
  }

  /** The same for several, in their order. */
  async reachedEach(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    shown: readonly ShownHost[],
  ): Promise<(SameBy | null)[]> {
    // Each connection asks this: where there is no such environment, the longer question is not even planned.
    if (!(await hasOthers(tx, tenantId, environmentId))) return shown.map(() => null);
    const found: (SameBy | null)[] = [];
    for (const { address, port, fingerprints } of shown) {
      const [row] = await tx.query<ProtectedHost[]>(
        `with asked as (
            select '' as name, $3::text as address, $4::int as port, null::text as fingerprint, 1 as at
            union all select '', null, $4, f, 2 from unnest($5::text[]) f)
          ${FOUND}`,
        [tenantId, environmentId, address, port, fingerprints],
      );
      found.push(row?.by ?? null);
    }
    return found;
  }
}

const OTHERS = prepared(`select from ${ENVIRONMENTS} e where e.tenant_id = $1 and e.protected and e.id <> $2 limit 1`);

/** Whether the tenant has a protected environment beside this one. */
async function hasOthers(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean> {
  const others = await tx.query<unknown[]>(OTHERS, [tenantId, environmentId]);
  return others.length > 0;
}

/**
 * Why a host is left alone, and what to do about it. It does not say which server it is, nor where: whoever reads this
 * may not see that environment.
 * @param who the host, as the sentence begins with it
 */
export function protectedHostText(who: string, by: SameBy): string {
  return by === 'address'
    ? `${who} has the address of a server in a protected environment: run it there, where it can be approved.`
    : `${who} has the host key of a server in a protected environment, so it is that machine or a copy of it: run it there, where it can be approved. If it is a copy, give it a host key of its own, or have an admin mark the key as shared by several machines.`;
}
