import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { RUNTIME, type Runtime } from '../common/settings/runtime.js';
import { unauthorizedProblem } from '../common/errors/problem.js';
import { listOwnGrants } from '../environments/caller-environments.js';
import { ApiToken } from './tokens/api-token.entity.js';
import { type MeView, toMeView } from './auth.view.js';
import { toCallerScopeView } from './tokens/token-scope.view.js';
import { Session } from './sessions/session.entity.js';

const MAX_GRANTS = 200;

@Injectable()
export class MeReader {
  constructor(
    private readonly units: UnitOfWork,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** @throws Problem 401 if the credential ended after authentication */
  read(caller: Principal): Promise<MeView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const grants = await listOwnGrants(tx, caller, MAX_GRANTS + 1);
      return {
        ...toMeView(caller),
        ...(await readCallerCredential(tx, caller)),
        grants: grants.slice(0, MAX_GRANTS),
        grantsTruncated: grants.length > MAX_GRANTS,
        demo: this.runtime.settings.demo,
      };
    });
  }
}

async function readCallerCredential(tx: EntityManager, caller: Principal): Promise<Pick<MeView, 'token' | 'session'>> {
  const where = { tenantId: caller.tenantId, id: caller.credentialId };
  if (caller.via === 'session') {
    const session = await tx.getRepository(Session).findOneBy(where);
    if (!session) throw unauthorizedProblem();
    return { token: null, session: { expiresAt: session.expiresAt.toISOString() } };
  }
  const token = await tx.getRepository(ApiToken).findOneBy(where);
  if (!token) throw unauthorizedProblem();
  const { id, name, prefix, expiresAt } = token;
  const scope = toCallerScopeView(caller.limits);
  return { token: { id, name, prefix, expiresAt: expiresAt?.toISOString() ?? null, scope }, session: null };
}
