import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { allOf, conditionIf, StatementValues } from '../../common/database/statement-values.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { notFound } from '../../common/errors/problem.js';
import { DEFAULT_LIMIT, type Page } from '../../common/http/paging/page.js';
import { ListOrder } from '../../common/http/paging/sorted-page.js';
import { isId } from '../../common/ids.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { visibleStoredServers } from '../../environments/visible-servers.js';
import { isInVisibleEnvironment } from '../../environments/visible-environment.js';
import { STATE } from './enrolment-record.js';
import type { ListEnrolmentsQuery } from './enrolments.dto.js';
import { type EnrolmentRow, type EnrolmentView, toEnrolmentView } from './enrolments.view.js';

const BY = { role: '$2', user: '$3', limits: '$4' };
const COLUMNS = `e.id, e.prefix, e.environment_id as "environmentId", e.ssh_key_id as "sshKeyId",
  e.jump_server_id as "jumpServerId", e.username, e.port, e.tags, e.name, ${STATE} as state, e.created_by as "createdBy",
  e.requested_by->>'name' as "createdByName", e.created_at as "createdAt", e.expires_at as "expiresAt", e.used_at as "usedAt",
  e.revoked_at as "revokedAt", s.id as "serverId", s.name as "serverName", e.tried_at as "triedAt",
  e.try_state as "tryState", e.try_message as "tryMessage", e.refusals, e.refused_at as "refusedAt",
  e.refused_address as "refusedAddress", e.refused_message as "refusedMessage",
  e.refused_servers as "refusedServers"`;
const ENROLMENTS_FROM = `enrolments e
  left join servers s on s.tenant_id = e.tenant_id and s.id = e.server_id and ${isInVisibleEnvironment('s', BY)}
  where e.tenant_id = $1 and ${isInVisibleEnvironment('e', BY)}`;

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
    const { environmentId, state, limit = DEFAULT_LIMIT } = query;
    const order = new ListOrder(query, {}, 'e');
    return this.units.run(caller.tenantId, async (tx) => {
      const values = new StatementValues(caller.tenantId, caller.role, caller.userId, caller.limits);
      const conditions = [
        ...conditionIf(values, environmentId, (environment) => `e.environment_id = ${environment}`),
        ...conditionIf(values, state, (states) => `${STATE} = any (${states})`),
        ...order.afterCursor(values),
      ];
      const rows = await tx.query<(EnrolmentRow & { sort_key: null })[]>(
        `select ${COLUMNS}, ${order.key} as sort_key from ${ENROLMENTS_FROM}
          and ${allOf(conditions)} order by ${order.orderBy} limit ${values.of(limit + 1)}`,
        values.list,
      );
      const page = order.page(rows, limit, (row) => row);
      const items: EnrolmentView[] = [];
      for (const row of page.items) items.push(await this.view(tx, caller, row));
      return { ...page, items };
    });
  }

  async find(tx: EntityManager, caller: Principal, id: string): Promise<EnrolmentView> {
    const [row] = isId(id)
      ? await tx.query<EnrolmentRow[]>(`select ${COLUMNS} from ${ENROLMENTS_FROM} and e.id = $5`, [
          ...[caller.tenantId, caller.role, caller.userId, caller.limits, id],
        ])
      : [];
    if (!row) throw notFound();
    return this.view(tx, caller, row);
  }

  private async view(tx: EntityManager, caller: Principal, row: EnrolmentRow): Promise<EnrolmentView> {
    return toEnrolmentView(row, await visibleStoredServers(this.environments, tx, caller, row.refusedServers));
  }
}
