import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { row, rows, sql, type Sql } from '../../common/database/sql.js';
import { type PinnedKey, getPinnedKeys, type StoredPins } from '../../transport/keys/pinned-key.js';
import { ENVIRONMENTS_SQL } from '../../environments/environments.sql.js';
import {
  type ProtectedHost,
  type RunTime,
  type SameBy,
  isDepartureCountedSql,
  createHostLookup,
  MAX_FOUND_HOSTS,
  findProtectorsOfFewSql,
  findProtectorsOfManySql,
  findProtectorsOfQuerySql,
  findProtectorsOfReachedHostSql,
} from './protected-hosts.sql.js';

export interface HostToTest extends StoredPins {
  id: string;
  name: string;
  hostname: string;
  port: number;
  lastReachedAddress?: string | null;
}

export interface ReachedHostKeys {
  id: string | null;
  /** Canonical form; null: only the keys are compared. */
  address: string | null;
  port: number;
  fingerprints: readonly string[];
  /** Id of a server whose former protection is ignored. */
  leaving?: string;
}

/** Host of a query, at the canonical address that a run reached. */
export interface QueriedHost {
  id: string;
  name: string;
  hostname: string;
  port: number;
  reached: string | null;
  pins: PinnedKey[];
  at: number;
}

const MAX_FEW_HOSTS = 50;

/**
 * Ensures that only approved runs reach a host of a protected environment, even if the host is also registered under
 * another name or in another environment. A host belongs to a protected environment once a login proved it there, or an
 * approver confirmed it.
 */
@Injectable()
export class ProtectedHosts {
  /**
   * Returns the servers that are hosts of other, protected environments: one result per server, for at most 100
   * servers.
   */
  async findAmongServers(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    servers: readonly HostToTest[],
  ): Promise<ProtectedHost[]> {
    const requestedHosts = servers.map((server, at) => ({
      id: server.id,
      name: server.name,
      hostname: server.hostname,
      port: server.port,
      reached: server.lastReachedAddress ?? null,
      pins: getPinnedKeys(server).map(({ fingerprint, authority }) => ({ fingerprint, authority })),
      at,
    }));
    const lookup = createHostLookup(tenantId, environmentId, null);
    const protectors = requestedHosts.length <= MAX_FEW_HOSTS ? findProtectorsOfFewSql : findProtectorsOfManySql;
    return keepFirstPerHost(await rows(tx, protectors(JSON.stringify(requestedHosts), lookup)));
  }

  /** Like `findAmongServers`, but for the hosts of a query, at the time of a run. */
  async findAmongHosts(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    /** @sql select id, name, hostname, port, hostname as reached, more_host_keys as pins, 1 as at from servers */
    hosts: Sql<QueriedHost>,
    run: RunTime,
  ): Promise<ProtectedHost[]> {
    // Fast path: a run calls this for all its hosts before each step.
    if (!(await hasOtherProtectedEnvironments(tx, tenantId, environmentId))) return [];
    return keepFirstPerHost(
      await rows(tx, findProtectorsOfQuerySql(hosts, createHostLookup(tenantId, environmentId, run))),
    );
  }

  /**
   * Returns the host keys that servers of other, protected environments protect. Keys marked as shared are not
   * included.
   * @param leaving ids of servers that leave their environment and are ignored
   */
  async findKeysOfProtectedHosts(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    fingerprints: readonly string[],
    leaving: readonly string[] = [],
  ): Promise<Set<string>> {
    if (fingerprints.length === 0) return new Set();
    const among = sql.value(fingerprints);
    const keys = await rows(
      tx,
      sql<{ fingerprint: string }>`select distinct p.fingerprint from (
          select p.fingerprint, s.id, s.environment_id from host_proofs p
            join servers s on s.tenant_id = ${tenantId} and s.id = p.server_id
            where p.tenant_id = ${tenantId} and p.fingerprint = any (${among}) and p.fingerprint <> ''
          union all select p.fingerprint, d.server_id, d.environment_id from departed_proofs p
            join departed_servers d on d.tenant_id = ${tenantId} and d.id = p.departure_id
              and ${isDepartureCountedSql(sql.raw('d'))}
            where p.tenant_id = ${tenantId} and p.fingerprint = any (${among}) and p.fingerprint <> '') p
        join ${ENVIRONMENTS_SQL} e on e.tenant_id = ${tenantId} and e.id = p.environment_id and e.protected
        where p.environment_id <> ${environmentId} and p.id <> all (${leaving}::uuid[])
          and not exists (select 1 from shared_host_keys h
            where h.tenant_id = ${tenantId} and h.fingerprint = p.fingerprint)`,
    );
    return new Set(keys.map(({ fingerprint }) => fingerprint));
  }

  /** Returns the protected host that a connection reached, by its address or its keys; null: not protected. */
  async findByReachedHost(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    reachedHosts: ReachedHostKeys,
  ): Promise<ProtectedHost | null> {
    const [found = null] = await this.findByReachedAddress(tx, tenantId, environmentId, [reachedHosts]);
    return found;
  }

  /**
   * Like `reached`, but for several hosts; results in the same order. @param run the run that reached them; null: no
   * run
   */
  async findByReachedAddress(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    reachedHosts: readonly ReachedHostKeys[],
    run: RunTime | null = null,
  ): Promise<(ProtectedHost | null)[]> {
    // Fast path, called for each connection: without other protected environments, the expensive query is not even
    // planned.
    if (!(await hasOtherProtectedEnvironments(tx, tenantId, environmentId))) return reachedHosts.map(() => null);
    const lookup = createHostLookup(tenantId, environmentId, run);
    const found: (ProtectedHost | null)[] = [];
    for (const { id, address, port, fingerprints, leaving } of reachedHosts) {
      const host = JSON.stringify({ id, address, port, fingerprints });
      const protectors = await rows(tx, findProtectorsOfReachedHostSql(host, lookup));
      found.push(protectors.find(({ serverId }) => serverId !== leaving) ?? null);
    }
    return found;
  }
}

const keepFirstPerHost = (found: readonly ProtectedHost[]): ProtectedHost[] =>
  [...new Map([...found].reverse().map((host) => [host.askedId, host])).values()].reverse();

async function hasOtherProtectedEnvironments(
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
): Promise<boolean> {
  const other = await row(
    tx,
    sql.prepared`select from ${ENVIRONMENTS_SQL} e
      where e.tenant_id = ${tenantId} and e.protected and e.id <> ${environmentId} limit 1`,
  );
  return other !== undefined;
}

const MAX_NAMED_HOSTS = 5;

const ADVICE_BY_KIND = {
  address:
    'run it there, where it can be approved. If the server left that environment, an approver there can release its host. If several machines share the address by their ports, ask an admin to mark it as shared.',
  host_key:
    'so it is that machine or a copy of it: run it there, where it can be approved. If the server left that environment, an approver there can release its host. If it is a copy, create a host key for it, or ask an admin to mark the key as shared by several machines.',
};

/**
 * Explains why a host is refused, and what to do. Names neither the protected server nor its environment, because the
 * reader may not see them.
 * @param who subject of the sentence
 */
export const formatProtectedHost = (who: string, by: SameBy): string =>
  by === 'address'
    ? `${who} has the address of a server in a protected environment: ${ADVICE_BY_KIND.address}`
    : `${who} has the host key of a server in a protected environment, ${ADVICE_BY_KIND.host_key}`;

/** Like `formatProtectedHost`, but for several hosts of a run. */
export function formatProtectedHosts(found: readonly Pick<ProtectedHost, 'name' | 'by'>[]): string {
  const [first] = found;
  if (first && found.length === 1) return formatProtectedHost(`"${first.name}"`, first.by);
  const names = found.slice(0, MAX_NAMED_HOSTS).map(({ name }) => `"${name}"`);
  const more =
    found.length > MAX_NAMED_HOSTS
      ? ` and ${found.length - MAX_NAMED_HOSTS}${found.length === MAX_FOUND_HOSTS ? ' or more' : ''} others`
      : '';
  return `${names.join(', ')}${more} have the address or host key of servers in protected environments: select other targets, and run these there, where they can be approved.`;
}
