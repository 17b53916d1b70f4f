import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { notFound } from '../../common/errors/problem.js';
import type { Page } from '../../common/http/paging/page.js';
import { readPage } from '../../common/http/paging/sorted-page.js';
import { isId } from '../../common/ids.js';
import { findMember } from '../../tenancy/directory/member.reader.js';
import { removeSession } from './end-sessions.js';
import { Session } from './session.entity.js';
import type { ListSessionsQuery } from './sessions.dto.js';
import { type SessionView, toSessionView } from './sessions.view.js';

/** Lists and ends open sessions. A member manages their own sessions, an admin those of any member. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws Problem 404 if the member does not exist */
  list(caller: Principal, userId: string, query: ListSessionsQuery): Promise<Page<SessionView>> {
    const currentId = caller.via === 'session' ? caller.credentialId : null;
    return this.units.run(caller.tenantId, async (tx) => {
      await this.readMemberName(tx, caller, userId);
      const select = tx
        .getRepository(Session)
        .createQueryBuilder('session')
        .where('session.tenantId = :tenantId', { tenantId: caller.tenantId })
        .andWhere('session.userId = :userId and session.expiresAt > now()', { userId });
      return readPage(select, query, (session) => toSessionView(session, currentId));
    });
  }

  /** @throws Problem 404 if the member has no such session */
  revoke(caller: Principal, userId: string, id: string): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const name = await this.readMemberName(tx, caller, userId);
      const session = isId(id)
        ? await tx.getRepository(Session).findOneBy({ tenantId: caller.tenantId, userId, id })
        : null;
      if (!session) throw notFound();
      await removeSession(tx, caller.tenantId, id);
      await this.audit.record(tx, caller, {
        action: 'session.revoke',
        resourceId: id,
        resourceName: name,
        before: { userId, address: session.address, userAgent: session.userAgent },
      });
    });
  }

  private async readMemberName(tx: EntityManager, caller: Principal, userId: string): Promise<string> {
    const user = await findMember(tx, caller.tenantId, userId);
    if (!user) throw notFound();
    return user.email;
  }
}
