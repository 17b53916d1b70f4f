import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { conflict } from '../../common/errors/problem.js';
import { doublesProblem, type MachineLogin } from './duplicate-address.js';
import { HostClaims } from './host-claims.js';
import { type AskedHost, ProtectedHosts, protectedHostsText } from './protected-hosts.js';
import { SameHostKeys, sameKeyProblem } from './same-host-keys.js';

/** What a run may begin with: each machine once, and none of another, protected environment. */
@Injectable()
export class RunHosts {
  constructor(
    private readonly protectedHosts: ProtectedHosts,
    private readonly sameKeys: SameHostKeys,
    private readonly claims: HostClaims,
  ) {}

  /**
   * @param of.dry nothing is started there, and the dry run itself tells which hosts have a key in common
   * @param of.othersProtected whether another environment is protected: with none, nothing has to be looked up
   * @throws Problem 409 `protected_host`: a host of a protected environment is reached by approved runs only;
   *   `duplicate_address`, `same_host_key`: two of them are one machine
   */
  async demandOwn(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    servers: readonly (AskedHost & MachineLogin)[],
    { dry, othersProtected }: { dry: boolean; othersProtected: boolean },
  ): Promise<void> {
    const doubles = doublesProblem(servers);
    if (doubles) throw doubles;
    // Both share a trip to the database.
    const [pairs, found] = await Promise.all([
      dry ? [] : this.sameKeys.among(tx, caller.tenantId, servers),
      othersProtected ? this.protectedHosts.amongServers(tx, caller.tenantId, environmentId, servers) : [],
    ]);
    const same = sameKeyProblem(pairs);
    if (same) throw same;
    if (found.length > 0)
      throw conflict('protected_host', protectedHostsText(found), await this.claims.visibleServers(tx, caller, found));
  }
}
