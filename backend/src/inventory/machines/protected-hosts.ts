import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ENVIRONMENTS } from '../../environments/environments.sql.js';

/** By what a server is found to be the machine of a server in another, protected environment. */
export type SameBy = 'address' | 'host_key';

/** A server that is, or may be, a machine of another, protected environment. */
export interface ProtectedHost {
  serverName: string;
  by: SameBy;
}

/** A host that may be a protected one. */
export interface AskedHost {
  name: string;
  hostname: string;
  port: number;
  hostKey: { fingerprint: string } | null;
  /** Canonical, of its latest connection. */
  lastReachedAddress?: string | null;
}

/** A query for hosts: `name`, `hostname`, `port`, `reached` (canonical), `fingerprint`, and their order as `at`. */
export interface HostsQuery {
  sql: string;
  /** What `$3` stands for in it. */
  parameter: string;
}

/**
 * The servers of protected environments other than $2 that have an address (registered, or reached last) or the host key
 * of `asked (name, address, port, fingerprint)`. A key that an admin marked as shared tells no machine.
 */
const FOUND = `
  select a.name as "serverName", 'address' as by, a.at
    from asked a
    join servers s on s.tenant_id = $1 and canonical_address(s.hostname) = a.address and s.port = a.port
    join ${ENVIRONMENTS} e on e.tenant_id = s.tenant_id and e.id = s.environment_id and e.protected
    where s.environment_id <> $2
  union all
  select a.name, 'address', a.at
    from asked a
    join servers s on s.tenant_id = $1 and s.last_reached_address = a.address and s.port = a.port
    join ${ENVIRONMENTS} e on e.tenant_id = s.tenant_id and e.id = s.environment_id and e.protected
    where s.environment_id <> $2
  union all
  select a.name, 'host_key', a.at
    from asked a
    join servers s on s.tenant_id = $1 and s.host_key->>'fingerprint' = a.fingerprint and s.host_key is not null
    join ${ENVIRONMENTS} e on e.tenant_id = s.tenant_id and e.id = s.environment_id and e.protected
    where s.environment_id <> $2
      and not exists (select 1 from shared_host_keys k where k.tenant_id = $1 and k.fingerprint = a.fingerprint)
  order by 3, 2 limit 1`;

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
    const [row] = await tx.query<ProtectedHost[]>(
      `with given as materialized (
          select x.name, canonical_address(x.hostname) as address, x.port, x.reached, x.fingerprint, x.at
            from unnest($3::text[], $4::text[], $5::int[], $6::text[], $7::text[])
              with ordinality as x (name, hostname, port, reached, fingerprint, at)),
        asked as materialized (
          select name, address, port, fingerprint, at from given
          union all select name, reached, port, null, at from given where reached <> address)
        ${FOUND}`,
      [
        tenantId,
        environmentId,
        servers.map(({ name }) => name),
        servers.map(({ hostname }) => hostname),
        servers.map(({ port }) => port),
        servers.map(({ lastReachedAddress }) => lastReachedAddress ?? null),
        servers.map(({ hostKey }) => hostKey?.fingerprint ?? null),
      ],
    );
    return row ?? null;
  }

  /** The same for the hosts that a query of the caller's finds. */
  async amongFound(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    { sql, parameter }: HostsQuery,
  ): Promise<ProtectedHost | null> {
    const [row] = await tx.query<ProtectedHost[]>(
      `with given as materialized (
          select host.name, canonical_address(host.hostname) as address, host.port, host.reached, host.fingerprint, host.at
            from (${sql}) host),
        asked as materialized (
          select name, address, port, fingerprint, at from given
          union all select name, reached, port, null, at from given where reached <> address)
        ${FOUND}`,
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
      `select distinct s.host_key->>'fingerprint' as fingerprint
        from servers s join ${ENVIRONMENTS} e on e.tenant_id = s.tenant_id and e.id = s.environment_id and e.protected
        where s.tenant_id = $1 and s.environment_id <> $2 and s.host_key->>'fingerprint' = any ($3)
          and s.id <> all ($4::uuid[])
          and not exists (select 1 from shared_host_keys k
            where k.tenant_id = $1 and k.fingerprint = s.host_key->>'fingerprint')`,
      [tenantId, environmentId, fingerprints, leaving],
    );
    return new Set(rows.map(({ fingerprint }) => fingerprint));
  }

  /** Whether what was reached at this address is such a machine, by the address or by the key that it shows; null: not. */
  async reached(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    { address, port, fingerprint }: { address: string | null; port: number; fingerprint: string | null },
  ): Promise<SameBy | null> {
    const [row] = await tx.query<ProtectedHost[]>(
      `with asked as (select '' as name, $3::text as address, $4::int as port, $5::text as fingerprint, 1 as at) ${FOUND}`,
      [tenantId, environmentId, address, port, fingerprint],
    );
    return row?.by ?? null;
  }
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
