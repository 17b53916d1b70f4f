import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { isInVisibleEnvironment } from '../../environments/visible-environment.js';

interface KnownHost {
  name: string;
  tags: Record<string, string>;
}

/** What templates may use of servers. */
export const knownHosts = {
  async visible(
    tx: EntityManager,
    caller: Principal,
    serverId: string,
    environmentId: string,
  ): Promise<KnownHost | null> {
    const [host] = await tx.query<KnownHost[]>(
      `select s.name, s.tags from servers s where s.tenant_id = $1 and s.id = $2 and s.environment_id = $3
        and ${isInVisibleEnvironment('s', { role: '$4', user: '$5' })}`,
      [caller.tenantId, serverId, environmentId, caller.role, caller.userId],
    );
    return host ?? null;
  },
};
