import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { mayApprove, mayRun } from '../../environments/grant-policy.js';
import { demandKeyRights } from '../ports/key-rights.js';
import type { Requester } from './rotation-record.js';

/**
 * Who may have a key rotated on a host: whoever may run in its environment; where that is protected, whoever could
 * approve a run there, because files of its hosts are changed without one.
 */
@Injectable()
export class RotationRights {
  constructor(private readonly environments: EnvironmentReader) {}

  /**
   * For every server that uses the key, or for those that are named.
   * @throws Problem 409 `grant_required` naming those that the caller may not have rotated, as far as they may be named
   */
  async demand(
    tx: EntityManager,
    caller: Principal,
    which: { keyId?: string; serverIds?: readonly string[] },
  ): Promise<void> {
    const refusal =
      'nothing is begun: rotating their key needs the grant "run" in their environments, and "approve" in protected ones.';
    await demandKeyRights(tx, caller, { ...which, approve: true }, refusal);
  }

  /** Who asked, with the role of this moment; null: may not do so there any more. */
  async callerOf(tx: EntityManager, requester: Requester, environmentId: string): Promise<Principal | null> {
    const there = await this.environments.rightsIn(tx, requester.tenantId, environmentId, [requester.userId]);
    const rights = there?.of(requester.userId);
    if (!there || !rights || !mayRun(rights) || (there.protected && !mayApprove(rights))) return null;
    return { ...requester, heldBy: requester.heldBy ?? [], limits: requester.limits ?? null, role: rights.role };
  }
}
