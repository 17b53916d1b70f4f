import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { EnvironmentReader } from '../environments/environment.reader.js';
import { mayRun, maySee } from '../environments/grant-policy.js';

export interface EnvironmentAllowance {
  name: string;
  see: boolean;
  run: boolean;
}

/** Returns the caller's rights in each environment. Omits deleted environments and those outside the token's scope. */
export async function loadEnvironmentAllowances(
  tx: EntityManager,
  environments: EnvironmentReader,
  { tenantId, userId, limits }: Pick<Principal, 'tenantId' | 'userId' | 'limits'>,
  environmentIds: Iterable<string>,
): Promise<Map<string, EnvironmentAllowance>> {
  const found = new Map<string, EnvironmentAllowance>();
  for (const id of new Set(environmentIds)) {
    if (limits?.environmentIds && !limits.environmentIds.includes(id)) continue;
    const there = await environments.readRights(tx, tenantId, id, [userId]);
    const rights = there?.of(userId);
    if (!there || !rights) continue;
    found.set(id, {
      name: there.name,
      see: maySee(rights),
      run: mayRun(rights),
    });
  }
  return found;
}
