import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { OtherServerItem, ProblemExtras } from '../common/errors/problem.js';
import type { EnvironmentReader } from './environment.reader.js';

/** Most servers of other environments that a problem names, and that an audit entry does. */
export const MOST_LISTED = 20;

/** Servers of other environments for a problem: those that the caller may see, and the number of the hidden ones. */
export async function visibleServers(
  environments: EnvironmentReader,
  tx: EntityManager,
  caller: Principal,
  all: readonly OtherServerItem[],
): Promise<Pick<ProblemExtras, 'otherServers' | 'hiddenServers'>> {
  if (all.length === 0) return { otherServers: [] };
  const ids = [...new Set(all.map(({ environmentId }) => environmentId))];
  const seen = new Set((await environments.named(tx, caller, ids)).map(({ id }) => id));
  const visible = all.filter(({ environmentId }) => seen.has(environmentId));
  const hidden = all.length - visible.length;
  return { otherServers: visible.slice(0, MOST_LISTED), ...(hidden > 0 ? { hiddenServers: hidden } : {}) };
}

/** The same for a view whose servers were stored when something was refused. */
export async function shownServers(
  environments: EnvironmentReader,
  tx: EntityManager,
  caller: Principal,
  stored: readonly OtherServerItem[],
): Promise<{ otherServers: OtherServerItem[]; hiddenServers: number }> {
  const { otherServers = [], hiddenServers = 0 } = await visibleServers(environments, tx, caller, stored);
  return { otherServers, hiddenServers };
}
