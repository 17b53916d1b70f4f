import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AuditActionName } from '../audit/audit-actions.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { row, sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, invalidRequest } from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import { toLikePattern, type Page } from '../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../common/http/paging/sorted-page.js';
import { newId } from '../common/ids.js';
import { toOwnerColumns, RequestedSchedule, doesChangeRuns } from './requested-schedule.js';
import { validateTiming } from './requested-timing.js';
import { toVisibleFires, toVisibleLastFires } from './visible-fires.js';
import { Schedule } from './records/schedule.entity.js';
import { ScheduleFires } from './schedule-fires.js';
import { ScheduleLookup } from './schedule-lookup.js';
import { recordScheduleWriters } from './records/schedule-writers.js';
import type {
  CreateScheduleRequest,
  ListFiresQuery,
  ListSchedulesQuery,
  PreviewScheduleRequest,
  UpdateScheduleRequest,
} from './schedules.dto.js';
import {
  type ScheduleFireListView,
  type SchedulePreviewView,
  type ScheduleSummaryView,
  type ScheduleView,
  LISTED_TIMES,
  toScheduleSummary,
  toScheduleView,
} from './schedules.view.js';
import { findCronWarnings } from './timing/cron-expression.js';
import { nextTimes } from './timing/timing.js';

export const MAX_SCHEDULES = 10_000;

@Injectable()
export class SchedulesService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly lookup: ScheduleLookup,
    private readonly requested: RequestedSchedule,
    private readonly fires: ScheduleFires,
  ) {}

  list(caller: Principal, query: ListSchedulesQuery): Promise<Page<ScheduleSummaryView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const select = this.lookup.selectVisible(tx, caller);
      if (query.name !== undefined)
        select.andWhere('lower(schedule.name) = lower(:exactName)', { exactName: query.name });
      if (query.q) select.andWhere('schedule.name ilike :name', { name: toLikePattern(query.q) });
      for (const field of ['planId', 'environmentId', 'ownerId', 'enabled'] as const)
        if (query[field] !== undefined) select.andWhere(`schedule.${field} = :${field}`, { [field]: query[field] });
      const page = await readPage(select, query, (schedule) => schedule, NAMED_RECORD_COLUMNS);
      const names = await this.lookup.names(tx, caller.tenantId, page.items);
      const items = page.items.map((schedule) => toScheduleSummary(schedule, names));
      return { ...page, items: await toVisibleLastFires(tx, caller, items) };
    });
  }

  /** @throws Problem 404 */
  get(caller: Principal, id: string): Promise<ScheduleView> {
    return this.units.run(caller.tenantId, (tx) => this.view(tx, caller, id));
  }

  /** @throws Problem 404 */
  listFires(caller: Principal, id: string, query: ListFiresQuery): Promise<ScheduleFireListView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.lookup.findVisible(tx, caller, id);
      const page = await this.fires.list(tx, caller.tenantId, id, query);
      return { ...page, items: await toVisibleFires(tx, caller, page.items) };
    });
  }

  /** @throws Problem 400 */
  preview(caller: Principal, request: PreviewScheduleRequest): Promise<SchedulePreviewView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const now = await databaseNow(tx);
      const timing = validateTiming(request, null, now);
      const times = nextTimes(timing, now, LISTED_TIMES);
      const warnings = timing.cron === null ? [] : findCronWarnings(timing.cron);
      return { nextTimes: times.map((time) => time.toISOString()), timeZone: timing.timeZone, warnings };
    });
  }

  /**
   * Makes the caller the owner. @throws Problem 400; 404; 403 `grant_required`; 409 `mode_not_allowed`, `duplicate_name`,
   * `too_many_schedules`
   */
  create(caller: Principal, request: CreateScheduleRequest): Promise<ScheduleView> {
    const { tenantId } = caller;
    requirePauseReason(request, request.enabled ?? true);
    return this.units.run(tenantId, async (tx) => {
      const now = await databaseNow(tx);
      const id = newId();
      const columns = await this.requested.toCreatedColumns(tx, caller, id, request, now);
      const count = await tx.getRepository(Schedule).countBy({ tenantId });
      if (count >= MAX_SCHEDULES) {
        const message = `A tenant has at most ${MAX_SCHEDULES} schedules. Delete schedules that you no longer need.`;
        throw conflict('too_many_schedules', message);
      }
      await tx.getRepository(Schedule).insert({ id, tenantId, ...columns });
      await recordScheduleWriters(tx, caller, id);
      const after = await this.view(tx, caller, id);
      await this.record(tx, caller, 'schedule.create', { after });
      return after;
    });
  }

  /**
   * A caller who changes content or timing becomes the owner, so that no member can run something with another member's
   * rights.
   * @throws Problem like `create`; 412
   */
  update(caller: Principal, id: string, request: UpdateScheduleRequest, version: number | null): Promise<ScheduleView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const schedule = await this.lookup.getLocked(tx, caller, id);
      requireVersion(schedule, version);
      requirePauseReason(request, request.enabled ?? schedule.enabled);
      const before = await this.view(tx, caller, id);
      const columns = await this.requested.toChangedColumns(tx, caller, schedule, request, await databaseNow(tx));
      await this.store(tx, caller, id, columns);
      if (doesChangeRuns(schedule, request)) await recordScheduleWriters(tx, caller, id);
      const after = await this.view(tx, caller, id);
      await this.record(tx, caller, 'schedule.update', { before, after });
      return after;
    });
  }

  /** Afterwards the schedule runs with the caller's rights. @throws Problem 404; 403 `grant_required` */
  takeOver(caller: Principal, id: string): Promise<ScheduleView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const schedule = await this.lookup.getLocked(tx, caller, id);
      const before = await this.view(tx, caller, id);
      await this.requested.requirePlan(tx, caller, schedule);
      await this.store(tx, caller, id, toOwnerColumns(caller, await databaseNow(tx)));
      const after = await this.view(tx, caller, id);
      await this.record(tx, caller, 'schedule.take_over', { before, after });
      return after;
    });
  }

  /** Does not delete the schedule's runs. @throws Problem 404; 403 `grant_required`; 412 */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const schedule = await this.lookup.getLocked(tx, caller, id);
      requireVersion(schedule, version);
      const before = await this.view(tx, caller, id);
      await tx.getRepository(Schedule).delete({ tenantId: caller.tenantId, id });
      await this.record(tx, caller, 'schedule.delete', { before });
    });
  }

  private async store(tx: EntityManager, caller: Principal, id: string, columns: Partial<Schedule>): Promise<void> {
    await tx
      .getRepository(Schedule)
      .update(
        { tenantId: caller.tenantId, id },
        { ...columns, updatedAt: () => 'now()', version: () => 'version + 1' },
      );
  }

  private async view(tx: EntityManager, caller: Principal, id: string): Promise<ScheduleView> {
    const schedule = await this.lookup.findVisible(tx, caller, id);
    const view = toScheduleView(schedule, await this.lookup.names(tx, caller.tenantId, [schedule]));
    const [seen = view] = await toVisibleLastFires(tx, caller, [view]);
    return seen;
  }

  private record(
    tx: EntityManager,
    caller: Principal,
    action: AuditActionName,
    change: { before?: ScheduleView; after?: ScheduleView },
  ): Promise<void> {
    return this.audit.recordChange(tx, caller, {
      action,
      before: change.before && toAuditedSchedule(change.before),
      after: change.after && toAuditedSchedule(change.after),
    });
  }
}

/** Only settings are audited. Values that follow from settings or from the time are not changes. */
const toAuditedSchedule = ({ nextTimes: _, nextAt: __, lastFire: ___, ...settings }: ScheduleView) => settings;

/** @throws Problem 400 */
function requirePauseReason({ pausedReason }: { pausedReason?: string }, enabled: boolean): void {
  if (pausedReason === undefined || !enabled) return;
  const message = 'pausedReason is only valid with enabled: false. Send both, or remove pausedReason.';
  throw invalidRequest([{ path: '/pausedReason', code: 'not_applicable', message }]);
}

async function databaseNow(tx: EntityManager): Promise<Date> {
  const clock = await row(tx, sql<{ now: Date }>`select now() as now`);
  return clock?.now ?? new Date();
}
