import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { OtherServerItem, ProblemExtras } from '../common/errors/problem.js';
import type { EnvironmentReader } from './environment.reader.js';

export const MAX_LISTED_SERVERS = 20;

export async function toVisibleServers(
  environments: EnvironmentReader,
  tx: EntityManager,
  caller: Principal,
  all: readonly OtherServerItem[],
): Promise<Pick<ProblemExtras, 'otherServers' | 'hiddenServers'>> {
  if (all.length === 0) return { otherServers: [] };
  const ids = [...new Set(all.map(({ environmentId }) => environmentId))];
  const seen = new Set((await environments.findVisibleByName(tx, caller, ids)).map(({ id }) => id));
  const visible = all.filter(({ environmentId }) => seen.has(environmentId));
  const hidden = all.length - visible.length;
  return { otherServers: visible.slice(0, MAX_LISTED_SERVERS), ...(hidden > 0 ? { hiddenServers: hidden } : {}) };
}

/** Returns the servers that the caller can see, of those that were stored with a refusal. */
export async function filterStoredServers(
  environments: EnvironmentReader,
  tx: EntityManager,
  caller: Principal,
  stored: readonly OtherServerItem[],
): Promise<{ otherServers: OtherServerItem[]; hiddenServers: number }> {
  const { otherServers = [], hiddenServers = 0 } = await toVisibleServers(environments, tx, caller, stored);
  return { otherServers, hiddenServers };
}
