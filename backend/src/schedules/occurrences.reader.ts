import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { invalidRequest } from '../common/errors/problem.js';
import { toLikePattern } from '../common/http/paging/page.js';
import { requireOrderedRange } from '../common/http/paging/filters.js';
import type { Schedule } from './records/schedule.entity.js';
import { ScheduleFires } from './schedule-fires.js';
import { ScheduleLookup } from './schedule-lookup.js';
import type { ListOccurrencesQuery } from './schedules.dto.js';
import type { ComingOccurrenceView, OccurrencesView } from './occurrences.view.js';
import { listTimesBetween } from './timing/timing.js';
import { toVisibleFires } from './visible-fires.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 45;
const DEFAULT_DAYS = 30;
/** Schedules whose occurrences are listed, by name. */
const MAX_SCHEDULES = 200;
/** Past occurrences of an answer, and coming ones. */
const MAX_OCCURRENCES = 2_000;
/** A schedule with more occurrences in a day, on average, is frequent: its coming occurrences are not listed. */
const FREQUENT_PER_DAY = 4;

@Injectable()
export class OccurrencesReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly lookup: ScheduleLookup,
    private readonly fires: ScheduleFires,
  ) {}

  /** @throws Problem 400 */
  list(caller: Principal, query: ListOccurrencesQuery): Promise<OccurrencesView> {
    const from = query.from === undefined ? new Date() : new Date(query.from);
    const to = query.to === undefined ? new Date(from.getTime() + DEFAULT_DAYS * DAY_MS) : new Date(query.to);
    requireOrderedRange({ from: from.toISOString(), to: to.toISOString() });
    const days = (to.getTime() - from.getTime()) / DAY_MS;
    if (days > MAX_DAYS)
      throw invalidRequest([
        { path: '?to', code: 'out_of_range', message: `to must be at most ${MAX_DAYS} days after from.` },
      ]);
    const mostOfSchedule = Math.ceil(Math.max(1, days) * FREQUENT_PER_DAY);
    return this.units.run(caller.tenantId, async (tx) => {
      const found = await this.findSchedules(tx, caller, query);
      const schedules = found.slice(0, MAX_SCHEDULES);
      const ids = schedules.map(({ id }) => id);
      const [past, names] = await Promise.all([
        this.fires.listBetween(tx, caller.tenantId, ids, { from, to, limit: MAX_OCCURRENCES + 1 }),
        this.lookup.names(tx, caller.tenantId, schedules),
      ]);
      const coming: ComingOccurrenceView[] = [];
      const frequent = new Set<string>();
      for (const schedule of schedules) {
        const times = listComingTimes(schedule, from, to, mostOfSchedule + 1);
        if (times.length > mostOfSchedule) frequent.add(schedule.id);
        else coming.push(...times.map((time) => ({ scheduleId: schedule.id, at: time.toISOString() })));
      }
      coming.sort((a, b) => a.at.localeCompare(b.at));
      return {
        schedules: schedules.map(({ id, name, planId, environmentId, timeZone, enabled, cron, everySeconds }) => ({
          ...{ id, name, environmentId, timeZone, enabled, cron, everySeconds },
          planName: names.plans.get(planId) ?? '',
          environmentName: names.environments.get(environmentId) ?? '',
          frequent: frequent.has(id),
        })),
        past: await toVisibleFires(tx, caller, past.slice(0, MAX_OCCURRENCES)),
        coming: coming.slice(0, MAX_OCCURRENCES),
        moreSchedules: found.length > MAX_SCHEDULES,
        truncated: past.length > MAX_OCCURRENCES || coming.length > MAX_OCCURRENCES,
      };
    });
  }

  private findSchedules(
    tx: EntityManager,
    caller: Principal,
    { q, planId, environmentId }: ListOccurrencesQuery,
  ): Promise<Schedule[]> {
    const select = this.lookup.selectVisible(tx, caller);
    if (q) select.andWhere('schedule.name ilike :name', { name: toLikePattern(q) });
    if (planId !== undefined) select.andWhere('schedule.planId = :planId', { planId });
    if (environmentId !== undefined) select.andWhere('schedule.environmentId = :environmentId', { environmentId });
    return select
      .orderBy('lower(schedule.name)')
      .limit(MAX_SCHEDULES + 1)
      .getMany();
  }
}

function listComingTimes(schedule: Schedule, from: Date, to: Date, limit: number): Date[] {
  const { enabled, nextAt } = schedule;
  if (!enabled || !nextAt || nextAt >= to) return [];
  return listTimesBetween(schedule, nextAt > from ? nextAt : from, to, limit);
}
