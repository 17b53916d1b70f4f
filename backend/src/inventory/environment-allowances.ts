import type { EntityManager } from 'typeorm';
import type { EnvironmentReader } from '../environments/environment.reader.js';
import { mayApprove, mayRun, maySee } from '../environments/grant-policy.js';

/** What a member may do with the servers of an environment. */
export interface EnvironmentAllowance {
  name: string;
  see: boolean;
  run: boolean;
  /** Whether a server may leave it, or its address change. */
  release: boolean;
}

/** What the member may do in these environments now; those that are gone are left out. */
export async function allowances(
  tx: EntityManager,
  environments: EnvironmentReader,
  tenantId: string,
  userId: string,
  environmentIds: Iterable<string>,
): Promise<Map<string, EnvironmentAllowance>> {
  const found = new Map<string, EnvironmentAllowance>();
  for (const id of new Set(environmentIds)) {
    const there = await environments.rightsIn(tx, tenantId, id, [userId]);
    const rights = there?.of(userId);
    if (!there || !rights) continue;
    found.set(id, {
      name: there.name,
      see: maySee(rights),
      run: mayRun(rights),
      release: !there.protected || mayApprove(rights),
    });
  }
  return found;
}
