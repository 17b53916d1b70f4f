import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { EnvironmentReader } from '../environments/environment.reader.js';
import { mayRun, maySee } from '../environments/grant-policy.js';

/** What a member may do with the servers of an environment. */
export interface EnvironmentAllowance {
  name: string;
  see: boolean;
  run: boolean;
}

/** What the member may do in these environments now; those that are gone, or that the token is not for, are left out. */
export async function allowances(
  tx: EntityManager,
  environments: EnvironmentReader,
  { tenantId, userId, limits }: Pick<Principal, 'tenantId' | 'userId' | 'limits'>,
  environmentIds: Iterable<string>,
): Promise<Map<string, EnvironmentAllowance>> {
  const found = new Map<string, EnvironmentAllowance>();
  for (const id of new Set(environmentIds)) {
    if (limits?.environmentIds && !limits.environmentIds.includes(id)) continue;
    const there = await environments.rightsIn(tx, tenantId, id, [userId]);
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
