import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { OtherServerItem, ProblemExtras } from '../common/errors/problem.js';
import type { EnvironmentReader } from './environment.reader.js';

/** Most servers of other environments that a problem names, and that an audit entry does. */
export const MOST_TOLD = 20;

/** What a problem tells the caller of servers of other environments: those that they may see, and how many they may not. */
export async function toldServers(
  environments: EnvironmentReader,
  tx: EntityManager,
  caller: Principal,
  all: readonly OtherServerItem[],
): Promise<Pick<ProblemExtras, 'otherServers' | 'hiddenServers'>> {
  const ids = [...new Set(all.map(({ environmentId }) => environmentId))];
  const seen = new Set((await environments.named(tx, caller, ids)).map(({ id }) => id));
  const visible = all.filter(({ environmentId }) => seen.has(environmentId));
  const hidden = all.length - visible.length;
  return { otherServers: visible.slice(0, MOST_TOLD), ...(hidden > 0 ? { hiddenServers: hidden } : {}) };
}
