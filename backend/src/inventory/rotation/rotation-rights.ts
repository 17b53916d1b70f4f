import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { conflict } from '../../common/errors/problem.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { ENVIRONMENTS, mayApproveThere, mayRunThere } from '../../environments/environments.sql.js';
import { mayApprove, mayRun } from '../../environments/grant-policy.js';
import { isInVisibleEnvironment } from '../../environments/visible-environment.js';
import type { Requester } from './rotation-record.js';

/** How many servers a refusal names. */
const NAMED = 20;

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
    { keyId, serverIds }: { keyId?: string; serverIds?: readonly string[] },
  ): Promise<void> {
    const by = { role: '$2', user: '$3', limits: '$6' };
    const rows = await tx.query<{ id: string; name: string; seen: boolean }[]>(
      `select s.id, s.name, ${isInVisibleEnvironment('s', by)} as seen
        from servers s join ${ENVIRONMENTS} e on e.tenant_id = s.tenant_id and e.id = s.environment_id
        where s.tenant_id = $1 and ($4::uuid is null or s.ssh_key_id = $4) and ($5::uuid[] is null or s.id = any ($5))
          and not (${mayRunThere('s', by)} and (not e.protected or ${mayApproveThere('s', by)}))
        order by s.name`,
      [caller.tenantId, caller.role, caller.userId, keyId ?? null, serverIds ?? null, caller.limits],
    );
    if (rows.length === 0) return;
    const named = rows.filter(({ seen }) => seen);
    const hidden = rows.length - named.length;
    const others = hidden > 0 ? ` ${hidden} of them you may not see; ask an admin about those.` : '';
    throw conflict(
      'grant_required',
      `${rows.length} server(s) are not yours to change, so nothing is begun: rotating their key needs the grant "run" in their environments, and "approve" in protected ones.${others}`,
      {
        referrers: named.slice(0, NAMED).map(({ id, name }) => ({ type: 'server', id, name })),
        hiddenReferrers: hidden,
      },
    );
  }

  /** Who asked, with the role of this moment; null: may not do so there any more. */
  async callerOf(tx: EntityManager, requester: Requester, environmentId: string): Promise<Principal | null> {
    const there = await this.environments.rightsIn(tx, requester.tenantId, environmentId, [requester.userId]);
    const rights = there?.of(requester.userId);
    if (!there || !rights || !mayRun(rights) || (there.protected && !mayApprove(rights))) return null;
    return { ...requester, heldBy: requester.heldBy ?? [], limits: requester.limits ?? null, role: rights.role };
  }
}
