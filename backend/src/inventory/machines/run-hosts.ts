import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { conflict } from '../../common/errors/problem.js';
import { toDuplicatesProblem, type MachineLogin } from './duplicate-address.js';
import { HostClaims } from './host-claims.js';
import { type HostToTest, ProtectedHosts, formatProtectedHosts } from './protected-hosts.js';
import { SameHostKeys, toSameKeyProblem } from './same-host-keys.js';

/** Refuses runs that would reach one machine twice, or a host of another, protected environment. */
@Injectable()
export class RunHosts {
  constructor(
    private readonly protectedHosts: ProtectedHosts,
    private readonly sameKeys: SameHostKeys,
    private readonly claims: HostClaims,
  ) {}

  /**
   * @param of.dry a dry run starts nothing, and itself reports hosts with a common key
   * @param of.othersProtected whether another environment is protected; false saves the lookup
   * @throws Problem 409 `protected_host`: only approved runs reach a host of a protected environment;
   *   `duplicate_address`, `same_host_key`: two servers are one machine
   */
  async requireRunnable(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    servers: readonly (HostToTest & MachineLogin)[],
    { dry, othersProtected }: { dry: boolean; othersProtected: boolean },
  ): Promise<void> {
    const doubles = toDuplicatesProblem(servers);
    if (doubles) throw doubles;
    const [pairs, found] = await Promise.all([
      dry ? [] : this.sameKeys.findSameKeyPairs(tx, caller.tenantId, servers),
      othersProtected ? this.protectedHosts.findAmongServers(tx, caller.tenantId, environmentId, servers) : [],
    ]);
    const same = toSameKeyProblem(pairs);
    if (same) throw same;
    if (found.length > 0)
      throw conflict(
        'protected_host',
        formatProtectedHosts(found),
        await this.claims.filterVisibleServers(tx, caller, found),
      );
  }
}
