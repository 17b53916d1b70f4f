import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { affected, row, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, notFound, versionMismatchProblem } from '../../common/errors/problem.js';
import { requireVersion } from '../../common/http/etag.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import { ListOrder } from '../../common/http/paging/sorted-page.js';
import { isId } from '../../common/ids.js';
import { recordGivenRight } from '../../tenancy/given-rights.js';
import { findMember } from '../../tenancy/directory/member.reader.js';
import { MEMBERS } from '../../tenancy/directory/members.sql.js';
import type { Environment } from '../environment.entity.js';
import { EnvironmentReader } from '../environment.reader.js';
import type { GrantLevel } from '../grant-policy.js';
import type { ListGrantsQuery } from './grants.dto.js';
import { type GrantRow, type GrantView, toGrantView } from './grants.view.js';

const GRANT_COLUMNS = sql`g.user_id as id, g.environment_id, u.name, u.email, u.kind, g.level, g.created_at, g.updated_at, g.version`;
const GRANT_ORDER = { name: { column: 'name', kind: 'text' }, email: { column: 'email', kind: 'text' } } as const;
const GRANTS_WITH_MEMBERS_SQL = sql`environment_grants g join ${MEMBERS} u on u.tenant_id = g.tenant_id and u.id = g.user_id`;

/** Changes take effect with the member's next request. */
@Injectable()
export class GrantsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly environments: EnvironmentReader,
  ) {}

  list(caller: Principal, environmentId: string, query: ListGrantsQuery): Promise<Page<GrantView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const order = new ListOrder(query, GRANT_ORDER, 'u');
    return this.units.run(caller.tenantId, async (tx) => {
      await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      const ofEnvironment = sql`g.tenant_id = ${caller.tenantId} and g.environment_id = ${environmentId}`;
      const found = await rows(
        tx,
        sql<GrantRow & { sort_key: string | null }>`
          select ${GRANT_COLUMNS}, ${order.key} as sort_key from ${GRANTS_WITH_MEMBERS_SQL}
            where ${sql.all([ofEnvironment, ...order.afterCursorSql()])} order by ${order.orderBy} limit ${limit + 1}`,
      );
      return order.toPage(found, limit, toGrantView);
    });
  }

  /** @throws Problem 404 for an unknown environment or member; 409 `service_account` */
  putGrant(
    caller: Principal,
    environmentId: string,
    userId: string,
    level: GrantLevel,
    version: number | null,
  ): Promise<GrantView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const environment = await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      const member = await findMember(tx, caller.tenantId, userId);
      if (!member) throw notFound();
      if (level === 'approve' && member.kind === 'service_account') throw cannotApproveProblem(member.name);
      const before = await this.findGrant(tx, caller, environmentId, userId);
      if (before) requireVersion(before, version);
      else if (version !== null) throw versionMismatchProblem();
      await affected(
        tx,
        sql`insert into environment_grants (tenant_id, environment_id, user_id, level)
          values (${caller.tenantId}, ${environmentId}, ${userId}, ${level})
          on conflict (tenant_id, environment_id, user_id)
          do update set level = excluded.level, updated_at = now(), version = environment_grants.version + 1`,
      );
      if (level === 'approve' && before?.level !== level)
        await recordGivenRight(tx, caller, 'grant', userId, environmentId);
      const after = await this.findGrant(tx, caller, environmentId, userId);
      if (!after) throw notFound();
      await this.recordAudit(tx, caller, 'environment.grant', environment, before, after);
      return toGrantView(after);
    });
  }

  /** @throws Problem 404 for an unknown environment, or a member without a grant */
  delete(caller: Principal, environmentId: string, userId: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const environment = await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      const grant = isId(userId) ? await this.findGrant(tx, caller, environmentId, userId) : null;
      if (!grant) throw notFound();
      requireVersion(grant, version);
      await affected(
        tx,
        sql`delete from environment_grants
          where tenant_id = ${caller.tenantId} and environment_id = ${environmentId} and user_id = ${userId}`,
      );
      await this.recordAudit(tx, caller, 'environment.revoke', environment, grant, null);
    });
  }

  private async findGrant(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    userId: string,
  ): Promise<GrantRow | null> {
    const found = await row(
      tx,
      sql<GrantRow>`select ${GRANT_COLUMNS} from ${GRANTS_WITH_MEMBERS_SQL}
        where g.tenant_id = ${caller.tenantId} and g.environment_id = ${environmentId} and g.user_id = ${userId}`,
    );
    return found ?? null;
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    action: AuditActionName,
    environment: Environment,
    before: GrantRow | null,
    after: GrantRow | null,
  ): Promise<void> {
    return this.audit.record(tx, caller, {
      action,
      resourceId: environment.id,
      resourceName: environment.name,
      before: before && toGrantView(before),
      after: after && toGrantView(after),
    });
  }
}

const cannotApproveProblem = (name: string) =>
  conflict('service_account', `"${name}" is a service account, and only people approve. Give it the level "run".`);
