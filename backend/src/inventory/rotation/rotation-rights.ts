import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { mayApprove, mayRun } from '../../environments/grant-policy.js';
import { requireKeyRights } from '../ports/key-rights.js';
import type { Requester } from './rotation-record.js';

/**
 * Rights for a rotation on a host: the grant `run` in its environment. A protected environment requires `approve`,
 * because files on its hosts are changed without an approval.
 */
@Injectable()
export class RotationRights {
  constructor(private readonly environments: EnvironmentReader) {}

  /**
   * @throws Problem 403 `grant_required`: names the servers without the required rights, as far as the caller may see
   *   them
   */
  async requireRotationRights(
    tx: EntityManager,
    caller: Principal,
    which: { keyId?: string; serverIds?: readonly string[] },
  ): Promise<void> {
    const refusal =
      'nothing was started: rotating their key needs the grant "run" in their environments, and "approve" in protected ones.';
    await requireKeyRights(tx, caller, { ...which, approve: true }, refusal);
  }

  /** Returns the requester with the current role; null: the requester no longer has the rights. */
  async findCaller(tx: EntityManager, requester: Requester, environmentId: string): Promise<Principal | null> {
    const there = await this.environments.readRights(tx, requester.tenantId, environmentId, [requester.userId]);
    const rights = there?.of(requester.userId);
    if (!there || !rights || !mayRun(rights) || (there.protected && !mayApprove(rights))) return null;
    return { ...requester, heldBy: requester.heldBy ?? [], limits: requester.limits ?? null, role: rights.role };
  }
}
