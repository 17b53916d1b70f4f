import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../../audit/audit-actions.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { allowsApproval } from '../../common/access/caller-limits.js';
import type { Principal } from '../../common/access/principal.js';
import { getViolatedConstraint } from '../../common/database/database-problem.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, notFound, Problem, grantRequiredProblem } from '../../common/errors/problem.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../common/http/paging/page.js';
import { ListOrder } from '../../common/http/paging/sorted-page.js';
import { isId, newId } from '../../common/ids.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { Outbox } from '../../outbox/outbox.js';
import { Environment } from '../environment.entity.js';
import { EnvironmentReader } from '../environment.reader.js';
import { mayApprove, describeMissingGrant } from '../grant-policy.js';
import {
  listChanges,
  decideChange,
  lockChange,
  insertChange,
  type NewChange,
  type ProtectionChangeRow,
} from '../protection/protection-change-rows.js';
import { type ProtectionChangeView, toProtectionChangeView } from '../protection/protection-changes.view.js';
import { type SettingChanges, findWeakening } from '../protection/weakening.js';
import type {
  CreateProtectionChangeRequest,
  ListOpenProtectionChangesQuery,
  ListProtectionChangesQuery,
} from './protection-changes.dto.js';
import { listOpenChanges } from './open-changes.js';
import { filterIndependentMembers } from '../../tenancy/independent-members.js';

interface LockedChange {
  environment: Environment;
  row: ProtectionChangeRow;
}

/**
 * Changes that weaken the protection of an environment. A change takes effect when a second approver agrees. If there
 * is none, it takes effect after the environment's delay. An emergency override takes effect at once.
 */
@Injectable()
export class ProtectionChangesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly environments: EnvironmentReader,
    private readonly outbox: Outbox,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  list(
    caller: Principal,
    environmentId: string,
    query: ListProtectionChangesQuery,
  ): Promise<Page<ProtectionChangeView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const order = new ListOrder(query, {}, 'c');
    return this.units.run(caller.tenantId, async (tx) => {
      const environment = await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      const rows = await listChanges(tx, caller.tenantId, environmentId, order, limit + 1);
      const page = order.toPage(rows, limit, (row) => row);
      const items = [];
      for (const row of page.items) items.push(await this.readChangeView(tx, caller, environment, row));
      return { ...page, items };
    });
  }

  listOpen(caller: Principal, query: ListOpenProtectionChangesQuery): Promise<Page<ProtectionChangeView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const order = new ListOrder(query, {}, 'c');
    return this.units.run(caller.tenantId, async (tx) => {
      const rows = await listOpenChanges(tx, caller, query.awaiting === 'me', order, limit + 1);
      const page = order.toPage(rows, limit, (row) => row);
      const items = [];
      for (const row of page.items)
        items.push(await this.readChangeView(tx, caller, { id: row.environment_id, name: row.environment_name }, row));
      return { ...page, items };
    });
  }

  /** @throws Problem 404; 403 `grant_required`; 409 `protection_not_weakened`, `protection_change_open` */
  async create(
    caller: Principal,
    environmentId: string,
    request: CreateProtectionChangeRequest,
  ): Promise<ProtectionChangeView> {
    const { override = false } = request;
    const id = newId();
    try {
      return await this.units.run(caller.tenantId, async (tx) => {
        const environment = await this.environments.lockEnvironment(tx, caller, environmentId);
        await this.requireApprover(tx, caller, environment);
        const settings = requireWeakening(environment, request.settings);
        const waits = !override && !(await this.hasSecondPerson(tx, caller, environmentId));
        await this.storeChange(tx, caller, environment, {
          ...{ id, tenantId: caller.tenantId, environmentId, settings, reason: request.reason },
          ...{ state: override ? 'applied' : 'open', isOverride: override },
          ...{ delaySeconds: waits ? environment.protectionDelaySeconds : null },
          ...{ requestedBy: caller.userId, requestedByName: caller.name },
        });
        if (override) await this.applySettings(tx, caller, environment, settings);
        return this.publishEvent(tx, caller, environment, id, override ? 'overridden' : 'requested');
      });
    } catch (error) {
      if (getViolatedConstraint(error, 'unique') === 'protection_changes_open') throw changeAlreadyOpenProblem();
      throw error;
    }
  }

  /**
   * Applies the change: a second person agrees, or the requester applies it after the delay.
   * @throws Problem 403 `second_person_required`; 404; 403 `grant_required`; 409 `protection_change_closed`
   */
  agreeToChange(
    caller: Principal,
    environmentId: string,
    id: string,
    comment: string | null,
  ): Promise<ProtectionChangeView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { environment, row } = await this.lockOpenChange(tx, caller, environmentId, id);
      await this.requireApprover(tx, caller, environment);
      const obstacle = await this.findDecisionObstacle(tx, caller, row);
      if (obstacle) throw new Problem('second_person_required', obstacle);
      requireUnchanged(environment, row.settings);
      await this.applySettings(tx, caller, environment, row.settings);
      await this.decideLockedChange(tx, caller, row, 'applied', comment);
      return this.publishEvent(tx, caller, environment, id, 'agreed');
    });
  }

  /** @throws Problem 404; 403 `grant_required`; 409 `protection_change_closed` */
  rejectChange(
    caller: Principal,
    environmentId: string,
    id: string,
    comment: string | null,
  ): Promise<ProtectionChangeView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const { environment, row } = await this.lockOpenChange(tx, caller, environmentId, id);
      await this.requireApprover(tx, caller, environment);
      await this.decideLockedChange(
        tx,
        caller,
        row,
        row.requested_by === caller.userId ? 'withdrawn' : 'rejected',
        comment,
      );
      return this.publishEvent(tx, caller, environment, id, 'rejected');
    });
  }

  private async lockOpenChange(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
    id: string,
  ): Promise<LockedChange> {
    const environment = await this.environments.lockEnvironment(tx, caller, environmentId);
    const row = isId(id) ? await lockChange(tx, caller.tenantId, environmentId, id) : undefined;
    if (!row) throw notFound();
    if (row.state !== 'open') throw changeClosedProblem(`It is ${row.state}.`);
    return { environment, row };
  }

  /** @throws Problem 403 `grant_required` */
  private async requireApprover(tx: EntityManager, caller: Principal, { id, name }: Environment): Promise<void> {
    const rights = (await this.environments.readRights(tx, caller.tenantId, id, [caller.userId]))?.of(caller.userId);
    if (rights && mayApprove(rights) && allowsApproval(caller.limits)) return;
    throw grantRequiredProblem(describeMissingGrant('approve', name));
  }

  private async hasSecondPerson(tx: EntityManager, caller: Principal, environmentId: string): Promise<boolean> {
    const approvers = await this.environments.listApprovers(tx, caller.tenantId, environmentId);
    const ids = approvers.map(({ id }) => id);
    return (await filterIndependentMembers(tx, caller.tenantId, caller.userId, ids)).length > 0;
  }

  /** Why the caller may not agree; null = the caller may. */
  private async findDecisionObstacle(
    tx: EntityManager,
    caller: Principal,
    row: ProtectionChangeRow,
  ): Promise<string | null> {
    if (row.requested_by === caller.userId) {
      if (row.due) return null;
      return row.effective_at
        ? `You requested this change. You can apply it from ${row.effective_at.toISOString()} on, or another approver agrees.`
        : 'You requested this change, so another approver has to agree.';
    }
    if ((await filterIndependentMembers(tx, caller.tenantId, row.requested_by, [caller.userId])).length > 0)
      return null;
    return `You and ${row.requested_by_name} are not independent: within seven days one of you gave the other a right, or one member gave both of you a right. Another approver has to agree.`;
  }

  private async storeChange(
    tx: EntityManager,
    caller: Principal,
    environment: Environment,
    change: NewChange,
  ): Promise<void> {
    await insertChange(tx, change);
    await this.recordAudit(
      tx,
      caller,
      environment,
      change.isOverride ? 'environment.protection_override' : 'environment.protection_request',
      {
        after: { changeId: change.id, reason: change.reason, settings: change.settings },
      },
    );
  }

  private async decideLockedChange(
    tx: EntityManager,
    caller: Principal,
    row: ProtectionChangeRow,
    state: 'applied' | 'rejected' | 'withdrawn',
    comment: string | null,
  ): Promise<void> {
    await decideChange(tx, caller.tenantId, row.id, { state, by: caller.userId, byName: caller.name, comment });
    const resource = { resourceId: row.environment_id };
    await this.audit.record(tx, caller, {
      action: `environment.protection_${state}`,
      ...resource,
      after: {
        changeId: row.id,
        ...{
          requestedBy: row.requested_by_name,
          reason: row.reason,
          settings: row.settings,
          comment,
        },
      },
    });
  }

  private async applySettings(
    tx: EntityManager,
    caller: Principal,
    environment: Environment,
    settings: SettingChanges,
  ): Promise<void> {
    const values = Object.fromEntries(Object.entries(settings).map(([setting, { to }]) => [setting, to]));
    const before = Object.fromEntries(Object.entries(settings).map(([setting, { from }]) => [setting, from]));
    await tx
      .getRepository(Environment)
      .update(
        { tenantId: caller.tenantId, id: environment.id },
        { ...values, updatedAt: () => 'now()', version: () => 'version + 1' },
      );
    await this.recordAudit(tx, caller, environment, 'environment.update', { before, after: values });
  }

  private recordAudit(
    tx: EntityManager,
    caller: Principal,
    { id, name }: Environment,
    action: AuditActionName,
    fact: { before?: object; after: object },
  ): Promise<void> {
    return this.audit.record(tx, caller, {
      action,
      resourceId: id,
      resourceName: name,
      ...fact,
    });
  }

  private async publishEvent(
    tx: EntityManager,
    caller: Principal,
    environment: Environment,
    id: string,
    what: 'requested' | 'agreed' | 'rejected' | 'overridden',
  ): Promise<ProtectionChangeView> {
    const row = await lockChange(tx, caller.tenantId, environment.id, id);
    if (!row) throw new Error('The stored protection change was not found.');
    const view = await this.readChangeView(tx, caller, environment, row);
    const { currentUserCanAgree: _, currentUserObstacle: __, ...change } = view;
    await this.outbox.add(tx, caller.tenantId, {
      type: 'environment.protection_changed',
      environmentId: environment.id,
      data: {
        ...{
          what,
          environment: { id: environment.id, name: environment.name },
          by: { id: caller.userId, name: caller.name },
          change,
        },
        webUrl: `${this.runtime.settings.publicUrl}/environments/${environment.id}?tab=protection`,
      },
    });
    return view;
  }

  private async readChangeView(
    tx: EntityManager,
    caller: Principal,
    environment: Pick<Environment, 'id' | 'name'>,
    row: ProtectionChangeRow,
  ): Promise<ProtectionChangeView> {
    if (row.state !== 'open') return toProtectionChangeView(row, null);
    const rights = (await this.environments.readRights(tx, caller.tenantId, environment.id, [caller.userId]))?.of(
      caller.userId,
    );
    const may = rights && mayApprove(rights) && allowsApproval(caller.limits);
    const grantMessage = describeMissingGrant('approve', environment.name);
    const obstacle = may ? await this.findDecisionObstacle(tx, caller, row) : grantMessage;
    return toProtectionChangeView(
      row,
      obstacle === null ? null : { code: may ? 'second_person_required' : 'grant_required', text: obstacle },
    );
  }
}

/** @throws Problem 409 `protection_not_weakened` */
function requireWeakening(
  environment: Environment,
  settings: CreateProtectionChangeRequest['settings'],
): SettingChanges {
  const changes = findWeakening(environment, settings);
  const other = Object.keys(settings).find((setting) => !(setting in changes));
  if (other === undefined && Object.keys(changes).length > 0) return changes;
  throw conflict(
    'protection_not_weakened',
    `${other === undefined ? 'This' : `"${other}"`} does not weaken the protection of "${environment.name}". Change it by PATCH /api/environments/${environment.id}.`,
  );
}

/** @throws Problem 409 `protection_change_closed` if the settings have changed since the request */
function requireUnchanged(environment: Environment, settings: SettingChanges): void {
  for (const [setting, { from }] of Object.entries(settings))
    if (environment[setting as keyof SettingChanges] !== from)
      throw changeClosedProblem(`"${setting}" was changed since it was requested.`);
}

const changeClosedProblem = (why: string) =>
  conflict('protection_change_closed', `The change can no longer be decided. ${why}`);
const changeAlreadyOpenProblem = () =>
  conflict('protection_change_open', 'Another change is already open. Decide on it or withdraw it first.');
