import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { isLimitedToRecords } from '../../common/access/caller-limits.js';
import type { Principal } from '../../common/access/principal.js';
import {
  insufficientRoleProblem,
  insufficientScopeProblem,
  type OtherServerItem,
  Problem,
  type ProblemExtras,
} from '../../common/errors/problem.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { mayApprove } from '../../environments/grant-policy.js';
import { MAX_LISTED_SERVERS, toVisibleServers } from '../../environments/visible-servers.js';
import {
  type HostCollision,
  type HostClaim,
  findCollisions,
  findCollisionsInEnvironment,
  formatCollisions,
  toOtherServerItems,
} from './host-collisions.js';
import { requestChecks } from './requested-checks.js';
import { confirmHostProofs } from './host-proofs.js';
import type { OtherServer, SameBy } from './protected-hosts.sql.js';

/**
 * Requires an admin with an unrestricted token for `confirmHosts`, because it takes hosts from other environments. Call
 * it before reading any record.
 * @throws Problem 403
 */
export function requireAdminToConfirm({ role, limits }: Principal, confirmHosts: boolean | undefined): void {
  if (confirmHosts !== true) return;
  if (role !== 'admin') throw insufficientRoleProblem('admin');
  if (isLimitedToRecords(limits)) throw insufficientScopeProblem('reach');
}

/** Error of a claim on a host that was proved elsewhere. The response lists only servers that the caller may see. */
export class HostProvedElsewhereProblem extends Problem {
  readonly servers: readonly OtherServerItem[];

  constructor(found: readonly HostCollision[], extras: ProblemExtras) {
    super('host_proved_elsewhere', formatCollisions(found), extras);
    this.servers = toOtherServerItems(found);
  }
}

/**
 * Handles claims: a server that enters a protected environment claims its addresses and host keys. A claim does not
 * take a host from a server that was proved earlier in another environment, unless an admin confirms it.
 */
@Injectable()
export class HostClaims {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly audit: AuditTrail,
  ) {}

  /** Returns the collisions for which a claim would be refused. None if the caller confirmed them and may do so. */
  async findRefusedClaims(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    claims: readonly HostClaim[],
    { confirmHosts = false }: { confirmHosts?: boolean },
  ): Promise<HostCollision[]> {
    const { canClaim, canConfirm } = await this.loadClaimRights(tx, caller, environmentId, claims);
    return canClaim && !(confirmHosts && canConfirm) ? findCollisions(tx, caller.tenantId, environmentId, claims) : [];
  }

  /**
   * Claims the hosts of stored servers. If the caller is an approver, also confirms the servers.
   * @param own whether the caller chose the address and keys; false for a host that registers itself
   * @throws Problem 409 `host_proved_elsewhere`
   */
  async settleClaims(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    claims: readonly HostClaim[],
    { confirmHosts = false, own = true }: { confirmHosts?: boolean; own?: boolean },
  ): Promise<void> {
    const { tenantId } = caller;
    const { canClaim, approves, canConfirm } = await this.loadClaimRights(tx, caller, environmentId, claims);
    if (!canClaim) return;
    const found = await findCollisions(tx, tenantId, environmentId, claims);
    await this.requireUnclaimed(tx, caller, found, confirmHosts && canConfirm);
    const ids = claims.map(({ id }) => id);
    // A login proves more than the registered data. A host that registers itself is skipped: the enrolment signs in to
    // it.
    if (own) await requestChecks(tx, tenantId, ids);
    if (approves && own) await confirmHostProofs(tx, tenantId, ids, caller);
  }

  /**
   * Confirms the registered and proved hosts of a server for an approver.
   * @throws Problem 409 `host_proved_elsewhere`
   */
  async confirmHost(
    tx: EntityManager,
    caller: Principal,
    { id, environmentId }: { id: string; environmentId: string },
    { confirmHosts = false }: { confirmHosts?: boolean },
  ): Promise<void> {
    const found = await findCollisionsInEnvironment(tx, caller.tenantId, environmentId, id);
    await this.requireUnclaimed(tx, caller, found, confirmHosts && caller.role === 'admin');
    await confirmHostProofs(tx, caller.tenantId, [id], caller, 'proofs');
  }

  /** @throws Problem 409 `host_proved_elsewhere` */
  private async requireUnclaimed(
    tx: EntityManager,
    caller: Principal,
    found: readonly HostCollision[],
    confirmed: boolean,
  ): Promise<void> {
    if (found.length > 0 && !confirmed)
      throw new HostProvedElsewhereProblem(found, await this.filterVisibleServers(tx, caller, found));
    await this.recordCollisions(tx, caller, found);
  }

  /** Returns the other servers for a refusal: those that the caller may see, and the number of hidden ones. */
  filterVisibleServers(
    tx: EntityManager,
    caller: Principal,
    found: readonly (OtherServer & { name: string; by: SameBy })[],
  ): Promise<Pick<ProblemExtras, 'otherServers' | 'hiddenServers'>> {
    return toVisibleServers(this.environments, tx, caller, toOtherServerItems(found));
  }

  private async loadClaimRights(
    tx: EntityManager,
    { tenantId, userId }: Principal,
    environmentId: string,
    claims: readonly HostClaim[],
  ): Promise<{ canClaim: boolean; approves: boolean; canConfirm: boolean }> {
    const there = claims.length > 0 ? await this.environments.readRights(tx, tenantId, environmentId, [userId]) : null;
    const rights = there?.of(userId) ?? null;
    const approves = rights !== null && mayApprove(rights);
    return { canClaim: there?.protected ?? false, approves, canConfirm: approves && rights.role === 'admin' };
  }

  private async recordCollisions(tx: EntityManager, caller: Principal, found: readonly HostCollision[]): Promise<void> {
    for (const id of new Set(found.map(({ askedId }) => askedId))) {
      const own = found.filter(({ askedId }) => askedId === id);
      await this.audit.record(tx, caller, {
        action: 'server.claim_host',
        resourceId: id,
        resourceName: own[0]?.name ?? '',
        after: { otherServers: toOtherServerItems(own).slice(0, MAX_LISTED_SERVERS) },
      });
    }
  }
}
