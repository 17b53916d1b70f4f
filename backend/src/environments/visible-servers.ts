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
  const ids = [...new Set(all.map(({ environmentId }) => environmentId))];
  const seen = new Set((await environments.named(tx, caller, ids)).map(({ id }) => id));
  const visible = all.filter(({ environmentId }) => seen.has(environmentId));
  const hidden = all.length - visible.length;
  return { otherServers: visible.slice(0, MOST_LISTED), ...(hidden > 0 ? { hiddenServers: hidden } : {}) };
}
