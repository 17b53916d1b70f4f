import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { unauthorized } from '../common/errors/problem.js';
import { ApiToken } from './tokens/api-token.entity.js';
import { type MeGrantView, type MeView, toMeView } from './auth.view.js';
import { Session } from './sessions/session.entity.js';

const MOST_GRANTS = 200;

/** What callers may know of themselves. */
@Injectable()
export class MeReader {
  constructor(private readonly units: UnitOfWork) {}

  /** @throws Problem 401 when the credential has ended since the request was let in */
  read(caller: Principal): Promise<MeView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const grants = await tx.query<MeGrantView[]>(
        `select g.environment_id as "environmentId", e.name as "environmentName", g.level
          from environment_grants g join environments e on e.tenant_id = g.tenant_id and e.id = g.environment_id
          where g.tenant_id = $1 and g.user_id = $2 order by lower(e.name) limit $3`,
        [caller.tenantId, caller.userId, MOST_GRANTS + 1],
      );
      return {
        ...toMeView(caller),
        ...(await credentialOf(tx, caller)),
        grants: grants.slice(0, MOST_GRANTS),
        grantsTruncated: grants.length > MOST_GRANTS,
      };
    });
  }
}

async function credentialOf(tx: EntityManager, caller: Principal): Promise<Pick<MeView, 'token' | 'session'>> {
  const where = { tenantId: caller.tenantId, id: caller.credentialId };
  if (caller.via === 'session') {
    const session = await tx.getRepository(Session).findOneBy(where);
    if (!session) throw unauthorized();
    return { token: null, session: { expiresAt: session.expiresAt.toISOString() } };
  }
  const token = await tx.getRepository(ApiToken).findOneBy(where);
  if (!token) throw unauthorized();
  const { id, name, prefix, expiresAt } = token;
  return { token: { id, name, prefix, expiresAt: expiresAt?.toISOString() ?? null }, session: null };
}
