import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql, type Sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { notFound } from '../../common/errors/problem.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import { ListOrder } from '../../common/http/paging/sorted-page.js';
import { isId } from '../../common/ids.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { filterStoredServers } from '../../environments/visible-servers.js';
import { isInVisibleEnvironmentSql } from '../../environments/environments.sql.js';
import { ENROLMENT_STATE_SQL } from './enrolment-record.js';
import type { ListEnrolmentsQuery } from './enrolments.dto.js';
import { type EnrolmentRow, type EnrolmentView, toEnrolmentView } from './enrolments.view.js';

const ENROLMENT_COLUMNS_SQL = sql`e.id, e.prefix, e.environment_id as "environmentId", e.ssh_key_id as "sshKeyId",
  e.jump_server_id as "jumpServerId", e.username, e.port, e.tags, e.name, ${ENROLMENT_STATE_SQL} as state, e.created_by as "createdBy",
  e.requested_by->>'name' as "createdByName", e.created_at as "createdAt", e.expires_at as "expiresAt", e.used_at as "usedAt",
  e.revoked_at as "revokedAt", s.id as "serverId", s.name as "serverName", e.tried_at as "triedAt",
  e.try_state as "tryState", e.try_message as "tryMessage", e.refusals, e.refused_at as "refusedAt",
  e.refused_address as "refusedAddress", e.refused_message as "refusedMessage",
  e.refused_servers as "refusedServers"`;
const enrolmentsWithServersSql = (caller: Principal): Sql =>
  sql`enrolments e left join servers s on s.tenant_id = e.tenant_id and s.id = e.server_id
    and ${isInVisibleEnvironmentSql(sql.raw('s'), caller)}`;
const isVisibleToSql = (caller: Principal): Sql =>
  sql`e.tenant_id = ${caller.tenantId} and ${isInVisibleEnvironmentSql(sql.raw('e'), caller)}`;

@Injectable()
export class EnrolmentsReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly environments: EnvironmentReader,
  ) {}

  get(caller: Principal, id: string): Promise<EnrolmentView> {
    return this.units.run(caller.tenantId, (tx) => this.find(tx, caller, id));
  }

  list(caller: Principal, query: ListEnrolmentsQuery): Promise<Page<EnrolmentView>> {
    const { environmentId, state, limit = DEFAULT_PAGE_LIMIT } = query;
    const order = new ListOrder(query, {}, 'e');
    return this.units.run(caller.tenantId, async (tx) => {
      const conditions = [
        isVisibleToSql(caller),
        ...(environmentId === undefined ? [] : [sql`e.environment_id = ${environmentId}`]),
        ...(state ? [sql`${ENROLMENT_STATE_SQL} = any (${state})`] : []),
        ...order.afterCursorSql(),
      ];
      const found = await rows(
        tx,
        sql<EnrolmentRow & { sort_key: null }>`
          select ${ENROLMENT_COLUMNS_SQL}, ${order.key} as sort_key from ${enrolmentsWithServersSql(caller)}
            where ${sql.all(conditions)} order by ${order.orderBy} limit ${limit + 1}`,
      );
      const page = order.toPage(found, limit, (enrolment) => enrolment);
      const items: EnrolmentView[] = [];
      for (const enrolment of page.items) items.push(await this.toView(tx, caller, enrolment));
      return { ...page, items };
    });
  }

  async find(tx: EntityManager, caller: Principal, id: string): Promise<EnrolmentView> {
    const enrolment = isId(id)
      ? await row(
          tx,
          sql<EnrolmentRow>`select ${ENROLMENT_COLUMNS_SQL} from ${enrolmentsWithServersSql(caller)}
            where ${isVisibleToSql(caller)} and e.id = ${id}`,
        )
      : undefined;
    if (!enrolment) throw notFound();
    return this.toView(tx, caller, enrolment);
  }

  private async toView(tx: EntityManager, caller: Principal, enrolment: EnrolmentRow): Promise<EnrolmentView> {
    const { refusedServers } = enrolment;
    return toEnrolmentView(enrolment, await filterStoredServers(this.environments, tx, caller, refusedServers));
  }
}
