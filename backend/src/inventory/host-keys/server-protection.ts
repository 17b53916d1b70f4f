import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { toUserReference } from '../../common/http/user-reference.view.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, grantRequiredProblem } from '../../common/errors/problem.js';
import { toCanonicalAddress } from '../../common/network/host-address.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { mayApprove } from '../../environments/grant-policy.js';
import { Departures } from '../machines/departures.js';
import { requireAdminToConfirm, HostClaims } from '../machines/host-claims.js';
import { findCollisionsOfProvedHosts } from '../machines/host-collisions.js';
import { deleteHostProofs, readHostProofs } from '../machines/host-proofs.js';
import { ProtectedHosts } from '../machines/protected-hosts.js';
import { readProtectionStates } from '../machines/protection-state.js';
import { findSharedAddresses } from './shared-addresses.js';
import type { Server } from '../fields/server.entity.js';
import { ServerLookup } from '../server-lookup.js';
import { type ProtectionView, type SetProtectionRequest } from './protection.view.js';

@Injectable()
export class ServerProtection {
  constructor(
    private readonly units: UnitOfWork,
    private readonly servers: ServerLookup,
    private readonly environments: EnvironmentReader,
    private readonly protectedHosts: ProtectedHosts,
    private readonly claims: HostClaims,
    private readonly departures: Departures,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws Problem 404 */
  readProtection(caller: Principal, id: string): Promise<ProtectionView> {
    return this.units.run(caller.tenantId, async (tx) =>
      this.loadView(tx, caller, await this.servers.getVisible(tx, caller, id)),
    );
  }

  /** @throws Problem 403 `grant_required`; 404; 409 `not_protected`, `host_proved_elsewhere` */
  changeProtection(
    caller: Principal,
    id: string,
    { confirmed, confirmHosts }: SetProtectionRequest,
  ): Promise<ProtectionView> {
    requireAdminToConfirm(caller, confirmHosts);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.requireWritable(tx, caller, id);
      const server = await this.servers.getLocked(tx, caller, id);
      await this.requireApprover(tx, caller, server);
      if (confirmed) await this.claims.confirmHost(tx, caller, server, { confirmHosts });
      else {
        await this.departures.reportIfDeparted(tx, caller);
        await deleteHostProofs(tx, caller.tenantId, server.id);
      }
      const after = await this.loadView(tx, caller, server);
      await this.audit.record(tx, caller, {
        action: confirmed ? 'server.confirm_host' : 'server.forget_host',
        resourceId: server.id,
        resourceName: server.name,
        after: { state: after.state, since: after.since },
      });
      return after;
    });
  }

  private async requireApprover(tx: EntityManager, { tenantId, userId }: Principal, server: Server): Promise<void> {
    const there = await this.environments.readRights(tx, tenantId, server.environmentId, [userId]);
    if (!there?.protected)
      throw conflict('not_protected', `"${there?.name ?? ''}" is not protected, so its servers protect no hosts.`);
    const rights = there.of(userId);
    if (rights && mayApprove(rights)) return;
    throw grantRequiredProblem(
      `"${there.name}" is protected: changing the protection of "${server.name}" needs the grant "approve". Ask an admin for it.`,
    );
  }

  private async loadView(tx: EntityManager, caller: Principal, server: Server): Promise<ProtectionView> {
    const { tenantId } = caller;
    const { id, environmentId } = server;
    // Read before the proofs, because a concurrent check may add proofs.
    const state = (await readProtectionStates(tx, tenantId, [id])).get(id) ?? 'environment_open';
    const proofs = await readHostProofs(tx, tenantId, id);
    const [first] = proofs;
    const addresses = [...new Set([toCanonicalAddress(server.hostname), ...proofs.map(({ address }) => address)])];
    const shared = await findSharedAddresses(tx, tenantId, addresses);
    const by = await this.protectedHosts.findAmongServers(tx, tenantId, environmentId, [server]);
    const elsewhere = await findCollisionsOfProvedHosts(tx, tenantId, server);
    const protectedBy = await this.claims.filterVisibleServers(tx, caller, by);
    const provedElsewhere = await this.claims.filterVisibleServers(tx, caller, elsewhere);
    return {
      state,
      addresses: addresses.map((address) => ({ address, shared: shared.has(address) })),
      since: (state === 'proved' || state === 'confirmed') && first ? first.protectsSince.toISOString() : null,
      proofs: proofs.map((proof) => ({
        address: proof.address,
        port: proof.port,
        fingerprint: proof.fingerprint === '' ? null : proof.fingerprint,
        provedAt: proof.provedAt?.toISOString() ?? null,
        provedHow: proof.provedBy,
        executionId: proof.executionId,
        confirmedAt: proof.confirmedAt?.toISOString() ?? null,
        confirmedBy: toUserReference(proof.confirmedById, proof.confirmedBy),
      })),
      protectedBy: protectedBy.otherServers ?? [],
      provedElsewhere: provedElsewhere.otherServers ?? [],
      hiddenServers: (protectedBy.hiddenServers ?? 0) + (provedElsewhere.hiddenServers ?? 0),
    };
  }
}
