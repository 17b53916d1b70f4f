import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { factsAmong, type HostFacts, labelsOf } from '../facts/host-facts.js';
import { isInVisibleEnvironment } from '../../environments/visible-environment.js';

interface KnownHost {
  name: string;
  tags: Record<string, string>;
  facts: Record<string, string | number>;
}

/** What templates may use of servers. */
export const knownHosts = {
  async visible(
    tx: EntityManager,
    caller: Principal,
    serverId: string,
    environmentId: string,
  ): Promise<KnownHost | null> {
    const [host] = await tx.query<{ name: string; tags: Record<string, string>; facts: HostFacts | null }[]>(
      `select s.name, s.tags, s.facts from servers s where s.tenant_id = $1 and s.id = $2 and s.environment_id = $3
        and ${isInVisibleEnvironment('s', { role: '$4', user: '$5' })}`,
      [caller.tenantId, serverId, environmentId, caller.role, caller.userId],
    );
    return host ? { name: host.name, tags: host.tags, facts: factsAmong(labelsOf(host)) } : null;
  },
};
