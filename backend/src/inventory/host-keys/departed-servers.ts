import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { allowsApproval } from '../../common/access/caller-limits.js';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import {
  insufficientRoleProblem,
  invalidRequest,
  notFound,
  Problem,
  grantRequiredProblem,
} from '../../common/errors/problem.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import { ListOrder } from '../../common/http/paging/sorted-page.js';
import { isId } from '../../common/ids.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { mayApprove, describeMissingGrant } from '../../environments/grant-policy.js';
import { Outbox } from '../../outbox/outbox.js';
import { filterIndependentMembers } from '../../tenancy/independent-members.js';
import {
  type DepartedRow,
  readDepartedServers,
  lockDeparture,
  keepDeparture,
  releaseDeparture,
  Departures,
} from '../machines/departures.js';
import {
  type DepartedServerView,
  type ListDepartedServersQuery,
  type ReleaseDepartedServerRequest,
  toDepartedServerView,
} from './departed-servers.view.js';
import { Reason } from '../../common/http/reason.view.js';

@Injectable()
export class DepartedServers {
  constructor(
    private readonly units: UnitOfWork,
    private readonly environments: EnvironmentReader,
    private readonly departures: Departures,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws Problem 404 */
  listDepartedServers(
    caller: Principal,
    environmentId: string,
    query: ListDepartedServersQuery,
  ): Promise<Page<DepartedServerView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const order = new ListOrder(query, {}, 'd');
    return this.units.run(caller.tenantId, async (tx) => {
      await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      const rows = await readDepartedServers(tx, caller.tenantId, environmentId, order, limit + 1);
      const page = order.toPage(rows, limit, (row) => row);
      const obstacles = await this.findReleaseObstacles(tx, caller, environmentId, page.items);
      return { ...page, items: page.items.map((row) => toDepartedServerView(row, obstacles.get(row.id) ?? null)) };
    });
  }

  /** @throws Problem 400; 403 `second_person_required`, `insufficient_role`, `grant_required`; 404 */
  releaseServer(
    caller: Principal,
    environmentId: string,
    id: string,
    { reason, override = false }: ReleaseDepartedServerRequest,
  ): Promise<void> {
    if (override && caller.role !== 'admin') throw insufficientRoleProblem('admin');
    if (override && !reason)
      throw invalidRequest([{ path: '/reason', code: 'required', message: 'An override needs a reason.' }]);
    return this.units.run(caller.tenantId, async (tx) => {
      const row = await this.getLocked(tx, caller, environmentId, id);
      const obstacle = override ? null : (await this.findReleaseObstacles(tx, caller, environmentId, [row])).get(id);
      if (obstacle) throw new Problem('second_person_required', obstacle.text);
      await releaseDeparture(tx, caller.tenantId, id);
      const auditDetails = { reason: reason ?? null, override };
      await this.recordAudit(
        tx,
        caller,
        environmentId,
        row,
        override ? 'server_release_overridden' : 'server_released',
        auditDetails,
      );
    });
  }

  /** @throws Problem 404; 403 `grant_required` */
  keepServer(caller: Principal, environmentId: string, id: string): Promise<DepartedServerView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const row = await this.getLocked(tx, caller, environmentId, id);
      const keeper = row.kept_by_name === null ? { kept_by: caller.userId, kept_by_name: caller.name } : {};
      const keptRow = { ...row, counts_until: null, ...keeper };
      if (row.counts_until !== null) {
        await keepDeparture(tx, caller, id);
        await this.recordAudit(tx, caller, environmentId, keptRow, 'server_kept', {});
      }
      const obstacles = await this.findReleaseObstacles(tx, caller, environmentId, [keptRow]);
      return toDepartedServerView(keptRow, obstacles.get(id) ?? null);
    });
  }

  /** @throws Problem 404; 403 `grant_required` */
  private async getLocked(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    id: string,
  ): Promise<DepartedRow> {
    const { name } = await this.environments.findVisibleEnvironment(tx, caller, environmentId);
    const row = isId(id) ? await lockDeparture(tx, caller.tenantId, environmentId, id) : undefined;
    if (!row) throw notFound();
    if (!(await this.mayApproveIn(tx, caller, environmentId)))
      throw grantRequiredProblem(describeMissingGrant('approve', name));
    return row;
  }

  private async mayApproveIn(tx: EntityManager, caller: Principal, environmentId: string): Promise<boolean> {
    const there = await this.environments.readRights(tx, caller.tenantId, environmentId, [caller.userId]);
    const rights = there?.of(caller.userId);
    return rights != null && mayApprove(rights) && allowsApproval(caller.limits);
  }

  /** Returns, by ID, why the caller may not release a server without a second person. */
  private async findReleaseObstacles(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    rows: readonly DepartedRow[],
  ): Promise<Map<string, Reason>> {
    const { name } = await this.environments.findVisibleEnvironment(tx, caller, environmentId);
    const approves = await this.mayApproveIn(tx, caller, environmentId);
    const by = [...new Set(rows.flatMap(({ left_by }) => left_by ?? []))];
    // Independence is mutual, so one query for the caller is enough.
    const independentIds = new Set(await filterIndependentMembers(tx, caller.tenantId, caller.userId, by));
    const found = new Map<string, Reason>();
    for (const row of rows) {
      if (!approves) found.set(row.id, { code: 'grant_required', text: describeMissingGrant('approve', name) });
      else if (row.left_by === null || !independentIds.has(row.left_by))
        found.set(row.id, { code: 'second_person_required', text: describeCallerInvolvement(caller, row) });
    }
    return found;
  }

  private async recordAudit(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    row: DepartedRow,
    what: 'server_released' | 'server_release_overridden' | 'server_kept',
    auditDetails: object,
  ): Promise<void> {
    const { name } = await this.environments.findVisibleEnvironment(tx, caller, environmentId);
    const { server_id: serverId, server_name: serverName, how, left_by_name: leftBy, proofs } = row;
    await this.audit.record(tx, caller, {
      action: `environment.${what}`,
      resourceId: environmentId,
      resourceName: name,
      after: { departureId: row.id, serverId, serverName, how, leftBy, proofs, ...auditDetails },
    });
    await this.outbox.add(tx, caller.tenantId, {
      type: 'environment.protection_changed',
      environmentId,
      data: {
        ...{ what, environment: { id: environmentId, name }, by: { id: caller.userId, name: caller.name } },
        departed: { count: 1, names: [serverName], countsUntil: row.counts_until?.toISOString() ?? null },
        webUrl: this.departures.webUrl(environmentId),
      },
    });
  }
}

function describeCallerInvolvement({ userId }: Principal, row: DepartedRow): string {
  if (row.left_by === null) return 'It is unknown who removed the server, so its protection cannot be ended early.';
  const who =
    row.left_by === userId
      ? 'You removed the server'
      : `You and ${row.left_by_name ?? 'the member who removed it'} are not independent: within seven days one of you gave the other a right, or one member gave both of you a right`;
  return `${who}, so another approver has to release the host.`;
}
