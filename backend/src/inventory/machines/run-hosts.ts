import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { toCanonicalAddress } from '../../common/network/host-address.js';
import { getViolatedConstraint } from '../../common/database/database-problem.js';
import { row, rows, sql } from '../../common/database/sql.js';
import { conflict, type Problem } from '../../common/errors/problem.js';
import type { Principal } from '../../common/access/principal.js';
import { HostClaims } from './host-claims.js';
import { type HostToTest, ProtectedHosts, formatProtectedHosts } from './protected-hosts.js';
import { SameHostKeys, toSameKeyProblem } from './same-host-keys.js';

export interface MachineLogin {
  hostname: string;
  port: number;
  username: string;
}

export const toMachineKey = ({ hostname, port, username }: MachineLogin): string =>
  JSON.stringify([toCanonicalAddress(hostname), port, username]);

const MAX_NAMED_DUPLICATES = 5;

/**
 * Returns the name of another server of the environment with the same machine and login; null = none.
 * @param id server to exclude
 */
export async function findDuplicateAddress(
  tx: EntityManager,
  tenantId: string,
  { id, environmentId, hostname, port, username }: MachineLogin & { id: string; environmentId: string },
): Promise<string | null> {
  const duplicate = await row(
    tx,
    sql<{ name: string }>`select name from servers
      where tenant_id = ${tenantId} and environment_id = ${environmentId} and address = canonical_address(${hostname})
        and port = ${port} and username = ${username} and id <> ${id}
      order by id limit 1`,
  );
  return duplicate?.name ?? null;
}

/**
 * Returns the names of other servers of the environment with the same machine and login, by ID of the requested server.
 */
export async function findDuplicateAddresses(
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  machines: readonly (MachineLogin & { id: string })[],
): Promise<Map<string, string>> {
  const ids = machines.map(({ id }) => id);
  const hostnames = machines.map(({ hostname }) => hostname);
  const ports = machines.map(({ port }) => port);
  const usernames = machines.map(({ username }) => username);
  const doubles = await rows(
    tx,
    sql<{ id: string; name: string }>`select x.id, s.name
      from unnest(${ids}::uuid[], ${hostnames}::text[], ${ports}::int[], ${usernames}::text[])
        x (id, hostname, port, username)
      join servers s on s.tenant_id = ${tenantId} and s.environment_id = ${environmentId}
        and s.address = canonical_address(x.hostname) and s.port = x.port
        and s.username = x.username and s.id <> x.id
      order by s.id desc`,
  );
  return new Map(doubles.map(({ id, name }) => [id, name]));
}

/** @param other name of the existing server; null = it no longer exists */
export const duplicateAddressProblem = (other: string | null): Problem =>
  conflict(
    'duplicate_address',
    other === null
      ? 'Another server with this address, port and login was saved at the same moment. Try again.'
      : `"${other}" already has this address, port and login in this environment. Change that server, or delete it first.`,
  );

export const isDuplicateMachineError = (error: unknown): boolean =>
  getViolatedConstraint(error, 'unique') === 'servers_machine';

/**
 * Returns pairs of servers with the same machine and login. The first of each pair is the first server of that machine.
 */
function listDuplicatePairs<T extends MachineLogin>(servers: readonly T[]): [T, T][] {
  const first = new Map<string, T>();
  return servers.flatMap((server): [T, T][] => {
    const key = toMachineKey(server);
    const known = first.get(key);
    if (known) return [[known, server]];
    first.set(key, server);
    return [];
  });
}

/** Returns null if each machine occurs once. */
function toDuplicatesProblem(servers: readonly (MachineLogin & { name: string })[]): Problem | null {
  const pairs = listDuplicatePairs(servers);
  if (pairs.length === 0) return null;
  const named = pairs
    .slice(0, MAX_NAMED_DUPLICATES)
    .map(([one, other]) => `"${other.name}" is the same machine as "${one.name}"`);
  const more = pairs.length > MAX_NAMED_DUPLICATES ? `, and ${pairs.length - MAX_NAMED_DUPLICATES} more pairs` : '';
  return conflict(
    'duplicate_address',
    `${named.join(', ')}${more}: they share one address, port and login, but a run works on a machine once. Delete or disable one of them.`,
  );
}

/** Refuses runs that would reach one machine twice, or a host of another, protected environment. */
@Injectable()
export class RunHosts {
  constructor(
    private readonly protectedHosts: ProtectedHosts,
    private readonly sameKeys: SameHostKeys,
    private readonly claims: HostClaims,
  ) {}

  /**
   * @param of.dry a dry run starts nothing, and itself reports hosts with a common key
   * @param of.othersProtected whether another environment is protected; false saves the lookup
   * @throws Problem 409 `protected_host`: only approved runs reach a host of a protected environment;
   *   `duplicate_address`, `same_host_key`: two servers are one machine
   */
  async requireRunnable(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    servers: readonly (HostToTest & MachineLogin)[],
    { dry, othersProtected }: { dry: boolean; othersProtected: boolean },
  ): Promise<void> {
    const doubles = toDuplicatesProblem(servers);
    if (doubles) throw doubles;
    const [pairs, found] = await Promise.all([
      dry ? [] : this.sameKeys.findSameKeyPairs(tx, caller.tenantId, servers),
      othersProtected ? this.protectedHosts.findAmongServers(tx, caller.tenantId, environmentId, servers) : [],
    ]);
    const same = toSameKeyProblem(pairs);
    if (same) throw same;
    if (found.length > 0)
      throw conflict(
        'protected_host',
        formatProtectedHosts(found),
        await this.claims.filterVisibleServers(tx, caller, found),
      );
  }
}
