import type { EntityManager } from 'typeorm';
import { toCanonicalAddress } from '../../common/network/host-address.js';
import { getViolatedConstraint } from '../../common/database/database-problem.js';
import { row, rows, sql } from '../../common/database/sql.js';
import { conflict, type Problem } from '../../common/errors/problem.js';

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
export function toDuplicatesProblem(servers: readonly (MachineLogin & { name: string })[]): Problem | null {
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
