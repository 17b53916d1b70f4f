import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import { isLimitedToRecords } from '../common/access/caller-limits.js';
import { isServiceAccount, type Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { sql, whereSql } from '../common/database/sql.js';
import { isEnvironmentVisibleSql } from './environments.sql.js';
import {
  conflict,
  insufficientRoleProblem,
  insufficientScopeProblem,
  invalidRequest,
  type OtherServerItem,
  personRequiredProblem,
} from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import { toLikePattern, type Page } from '../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../common/http/paging/sorted-page.js';
import { newId } from '../common/ids.js';
import { ENVIRONMENT_USE, type EnvironmentReferrer, type EnvironmentUsage } from './environment-use.js';
import { ADMIN_ONLY_FIELDS, completeSettings, PERSON_ONLY_FIELDS } from './environment-fields.js';
import { Environment } from './environment.entity.js';
import { EnvironmentReader } from './environment.reader.js';
import type { CreateEnvironmentRequest, ListEnvironmentsQuery, UpdateEnvironmentRequest } from './environments.dto.js';
import { type EnvironmentView, toEnvironmentView } from './environments.view.js';
import { mayApprove } from './grant-policy.js';
import { MAX_LISTED_SERVERS, toVisibleServers } from './visible-servers.js';
import { findLastOverride } from './protection/protection-change-rows.js';
import { findWeakening, describeWeakening } from './protection/weakening.js';
import { findWindowFaults, toRunWindows } from './windows/requested-windows.js';
import type { RunWindows } from './windows/run-windows.js';

@Injectable()
export class EnvironmentsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly reader: EnvironmentReader,
    @Inject(ENVIRONMENT_USE) private readonly use: EnvironmentUsage,
  ) {}

  list(caller: Principal, query: ListEnvironmentsQuery): Promise<Page<EnvironmentView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const select = tx
        .getRepository(Environment)
        .createQueryBuilder('environment')
        .where('environment.tenantId = :tenantId', caller);
      whereSql(select, isEnvironmentVisibleSql(sql.raw('environment'), caller));
      if (query.name !== undefined)
        select.andWhere('lower(environment.name) = lower(:exactName)', { exactName: query.name });
      if (query.q) select.andWhere('environment.name ilike :name', { name: toLikePattern(query.q) });
      const page = await readPage(select, query, (environment) => environment, NAMED_RECORD_COLUMNS);
      const grants = await this.reader.readOwnGrants(
        tx,
        caller,
        page.items.map(({ id }) => id),
      );
      return { ...page, items: page.items.map((each) => toEnvironmentView(each, grants.get(each.id) ?? null)) };
    });
  }

  get(caller: Principal, id: string): Promise<EnvironmentView> {
    return this.units.run(caller.tenantId, async (tx) =>
      this.readEnvironmentView(tx, caller, await this.reader.findVisibleEnvironment(tx, caller, id)),
    );
  }

  /** @throws Problem 403 for a field that only admins may send */
  async create(caller: Principal, request: CreateEnvironmentRequest): Promise<EnvironmentView> {
    requireRoleForFields(caller, request);
    const runWindows = validateRunWindows(request);
    const id = newId();
    return this.units.run(caller.tenantId, async (tx) => {
      await tx.getRepository(Environment).insert({
        id,
        tenantId: caller.tenantId,
        name: request.name,
        description: request.description ?? '',
        ...completeSettings({ ...request, runWindows }),
      });
      const after = await this.readEnvironmentView(
        tx,
        caller,
        await this.reader.findVisibleEnvironment(tx, caller, id),
      );
      await this.audit.recordChange(tx, caller, { action: 'environment.create', after });
      return after;
    });
  }

  /** @throws Problem 403 for a field that only admins, or only people, may send; 404; 403 `grant_required`; 409 `host_proved_elsewhere`, `protection_change_required` */
  async update(
    caller: Principal,
    id: string,
    { confirmHosts, ...request }: UpdateEnvironmentRequest,
    version: number | null,
  ): Promise<EnvironmentView> {
    requireRoleForFields(caller, request);
    requirePersonForFields(caller, { ...request, confirmHosts });
    if (confirmHosts !== undefined && caller.role !== 'admin') throw insufficientRoleProblem('admin');
    // Confirming affects hosts of other environments.
    if (confirmHosts === true && isLimitedToRecords(caller.limits)) throw insufficientScopeProblem('reach');
    const runWindows = validateRunWindows(request);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.reader.requireRunnable(tx, caller, id);
      const environment = await this.reader.lockEnvironment(tx, caller, id);
      requireVersion(environment, version);
      requireNoWeakening(environment, request);
      const before = await this.readEnvironmentView(tx, caller, environment);
      await tx
        .getRepository(Environment)
        .update(
          { tenantId: caller.tenantId, id },
          { ...request, runWindows, updatedAt: () => 'now()', version: () => 'version + 1' },
        );
      if (runWindows !== undefined) await this.use.wakeHeldRuns(tx, caller.tenantId);
      const protects = request.protected === true && !environment.protected;
      const otherServers = protects ? await this.claimHostsForEnvironment(tx, caller, id, confirmHosts ?? false) : [];
      const auditDetails = otherServers.length > 0 ? { otherServers } : {};
      const after = await this.readEnvironmentView(
        tx,
        caller,
        await this.reader.findVisibleEnvironment(tx, caller, id),
      );
      await this.audit.recordChange(tx, caller, {
        action: 'environment.update',
        before,
        after: { ...after, ...auditDetails },
      });
      return after;
    });
  }

  /** @throws Problem 403 `person_required`; 404; 403 `grant_required`; 409 `in_use` with the referrers while servers or plans belong to it */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.reader.requireRunnable(tx, caller, id);
      const environment = await this.reader.lockEnvironment(tx, caller, id);
      requireVersion(environment, version);
      if (environment.protected && isServiceAccount(caller)) throw personRequiredProblem();
      // No referrer needs to be hidden: a caller who sees the environment also sees its servers and plans.
      const referrers: EnvironmentReferrer[] = [];
      for (const referrersOf of this.use.referrers) referrers.push(...(await referrersOf(tx, caller.tenantId, id)));
      if (referrers.length > 0) {
        throw conflict(
          'in_use',
          `Servers, plans or schedules still belong to "${environment.name}". Move or delete them first.`,
          { referrers },
        );
      }
      if (await this.use.hasOpenRun(tx, caller.tenantId, id))
        throw conflict('in_use', `A run in "${environment.name}" has not finished. Wait for it or cancel it first.`);
      if (environment.protected && (await this.use.hasDepartedServers(tx, caller.tenantId, id)))
        throw conflict(
          'in_use',
          `"${environment.name}" still protects the hosts of servers that left it. Wait until that ends, or have another approver release them: GET /api/environments/${id}/departed-servers.`,
        );
      const before = await this.readEnvironmentView(tx, caller, environment);
      await tx.getRepository(Environment).delete({ tenantId: caller.tenantId, id });
      await this.audit.recordChange(tx, caller, { action: 'environment.delete', before });
    });
  }

  /**
   * Confirms the hosts of an environment that becomes protected, if the caller may approve there.
   * @returns the first twenty servers of other environments whose runs can no longer reach their hosts
   * @throws Problem 409 `host_proved_elsewhere`
   */
  private async claimHostsForEnvironment(
    tx: EntityManager,
    caller: Principal,
    id: string,
    confirmed: boolean,
  ): Promise<OtherServerItem[]> {
    const { tenantId, userId } = caller;
    const rights = (await this.reader.readRights(tx, tenantId, id, [userId]))?.of(userId) ?? null;
    const canApprove = rights !== null && mayApprove(rights);
    const provedElsewhere = await this.use.hostsProvedElsewhere(tx, tenantId, id);
    if (provedElsewhere && !(confirmed && canApprove)) {
      const visible = await toVisibleServers(this.reader, tx, caller, provedElsewhere.servers);
      throw conflict('host_proved_elsewhere', provedElsewhere.text, visible);
    }
    if (canApprove) await this.use.confirmHosts(tx, tenantId, id, caller);
    return provedElsewhere?.servers.slice(0, MAX_LISTED_SERVERS) ?? [];
  }

  private async readEnvironmentView(
    tx: EntityManager,
    caller: Principal,
    environment: Environment,
  ): Promise<EnvironmentView> {
    const grants = await this.reader.readOwnGrants(tx, caller, [environment.id]);
    const override = await findLastOverride(tx, caller.tenantId, environment.id, { from: null, until: null });
    return toEnvironmentView(environment, grants.get(environment.id) ?? null, override);
  }
}

/** Returns the run windows to store; undefined = not in the request. @throws Problem 400 */
function validateRunWindows({
  runWindows,
}: Pick<UpdateEnvironmentRequest, 'runWindows'>): RunWindows | null | undefined {
  if (!runWindows) return runWindows;
  const windows = toRunWindows(runWindows);
  const faults = findWindowFaults(windows, new Date());
  if (faults.length > 0) throw invalidRequest(faults);
  return windows;
}

/** Reads only the body, before any record, so that the 403 reveals nothing (spec, rule 1). */
function requireRoleForFields(caller: Principal, request: CreateEnvironmentRequest | UpdateEnvironmentRequest): void {
  if (caller.role !== 'admin' && ADMIN_ONLY_FIELDS.some((field) => request[field] !== undefined))
    throw insufficientRoleProblem('admin');
}

/** Reads only the body, like `requireRoleForFields`. @throws Problem 403 `person_required` */
function requirePersonForFields(caller: Principal, request: UpdateEnvironmentRequest): void {
  if (isServiceAccount(caller) && PERSON_ONLY_FIELDS.some((field) => request[field] !== undefined))
    throw personRequiredProblem();
}

/** @throws Problem 409 `protection_change_required` */
function requireNoWeakening(environment: Environment, request: UpdateEnvironmentRequest): void {
  const changes = findWeakening(environment, request);
  if (Object.keys(changes).length === 0) return;
  throw conflict(
    'protection_change_required',
    `"${environment.name}" is protected, and this weakens its protection (${describeWeakening(changes)}). Request it with a reason by POST /api/environments/${environment.id}/protection-changes: it takes effect when another approver agrees.`,
  );
}
