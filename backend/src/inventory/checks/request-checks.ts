import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { sql, whereSql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest, notFound } from '../../common/errors/problem.js';
import { livingWorkers } from '../../common/queue/worker-heartbeat.js';
import { isId } from '../../common/ids.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { mayRunSql, isInVisibleEnvironmentSql } from '../../environments/environments.sql.js';
import { MAX_TARGETS } from '../run-targets.reader.js';
import { isSelectedSql } from '../selectors/selector.js';
import { Server } from '../fields/server.entity.js';
import { parseSelectorAt } from '../server-lookup.js';
import type { RequestChecksRequest, RequestedChecksView } from './checks.dto.js';
import { CHECK_REQUEST_LIFETIME_SECONDS, requestChecks } from '../machines/requested-checks.js';

type CheckedServer = Pick<Server, 'id' | 'environmentId' | 'enabled'>;

@Injectable()
export class CheckRequests {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly environments: EnvironmentReader,
  ) {}

  /** @throws Problem 400; 404; 403 `grant_required`; 409 `too_many_targets` */
  request(caller: Principal, request: RequestChecksRequest): Promise<RequestedChecksView> {
    requireOneSelection(request);
    return this.units.run(caller.tenantId, async (tx) => {
      const selectedServers = request.ids
        ? await this.findServersById(tx, caller, request.ids)
        : await this.findServersBySelector(tx, caller, request.environmentId ?? '', request.selector ?? '');
      const enabled = selectedServers.filter((server) => server.enabled).map(({ id }) => id);
      const at = await requestChecks(tx, caller.tenantId, enabled);
      const counts = { requested: enabled.length, disabled: selectedServers.length - enabled.length };
      const { environmentId = null, selector = null } = request;
      await this.audit.record(tx, caller, {
        action: 'server.request_checks',
        after: { ...counts, environmentId, selector, ids: request.ids ?? null },
      });
      const lapsesAt = new Date(at.getTime() + CHECK_REQUEST_LIFETIME_SECONDS * 1000).toISOString();
      return { ...counts, requestedAt: at.toISOString(), lapsesAt, workers: await livingWorkers(tx) };
    });
  }

  private async findServersById(
    tx: EntityManager,
    caller: Principal,
    ids: readonly string[],
  ): Promise<CheckedServer[]> {
    const named = () =>
      this.selectServers(tx, caller).andWhere('server.id = any(:ids::uuid[])', { ids: ids.filter(isId) });
    const found = await named().getMany();
    const known = new Set(found.map(({ id }) => id));
    const missing = ids.findIndex((id) => !known.has(id.toLowerCase()));
    if (missing >= 0) throw notFound(`/ids/${missing}`);
    const refused = await whereSql(named(), sql`not ${mayRunSql(sql.raw('server'), caller)}`).getOne();
    if (refused) await this.environments.requireRunnable(tx, caller, refused.environmentId);
    return found;
  }

  private async findServersBySelector(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    selector: string,
  ): Promise<CheckedServer[]> {
    const parsed = parseSelectorAt(selector, '/selector');
    await this.environments.requireRunnable(tx, caller, environmentId, '/environmentId');
    const inEnvironment = this.selectServers(tx, caller).andWhere('server.environmentId = :environmentId', {
      environmentId,
    });
    const found = await whereSql(inEnvironment, isSelectedSql(parsed, sql.raw('server')))
      .limit(MAX_TARGETS + 1)
      .getMany();
    if (found.length > MAX_TARGETS)
      throw conflict('too_many_targets', `More than ${MAX_TARGETS} servers match. Narrow the selector.`);
    return found;
  }

  private selectServers(tx: EntityManager, caller: Principal) {
    const select = tx
      .getRepository(Server)
      .createQueryBuilder('server')
      .select(['server.id', 'server.environmentId', 'server.enabled'])
      .where('server.tenantId = :tenantId', { tenantId: caller.tenantId });
    return whereSql(select, isInVisibleEnvironmentSql(sql.raw('server'), caller));
  }
}

/** @throws Problem 400 */
function requireOneSelection({ ids, environmentId, selector }: RequestChecksRequest): void {
  if (ids !== undefined) {
    const conflictingField =
      environmentId !== undefined ? '/environmentId' : selector !== undefined ? '/selector' : null;
    if (conflictingField === null) return;
    throw invalidRequest([
      {
        path: conflictingField,
        code: 'not_applicable',
        message: 'Select servers by ids, or by environmentId and selector, not both.',
      },
    ]);
  }
  if (environmentId === undefined)
    throw invalidRequest([
      {
        path: '/environmentId',
        code: 'required',
        message: 'Select servers by ids, or by environmentId and an optional selector.',
      },
    ]);
}
