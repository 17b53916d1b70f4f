import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { sql, whereSql } from '../common/database/sql.js';
import { notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { RunPlanReader } from '../plans/records/run-plan.reader.js';
import { Schedule } from './records/schedule.entity.js';
import { isScheduleVisibleSql } from './records/visible-schedule.js';
import { type ScheduleNames } from './schedules.view.js';

@Injectable()
export class ScheduleLookup {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly plans: RunPlanReader,
  ) {}

  selectVisible(tx: EntityManager, caller: Principal) {
    const ofTenant = tx
      .getRepository(Schedule)
      .createQueryBuilder('schedule')
      .where('schedule.tenantId = :tenantId', { tenantId: caller.tenantId });
    return whereSql(ofTenant, isScheduleVisibleSql(sql.raw('schedule'), caller));
  }

  /** @throws Problem 404 */
  async findVisible(tx: EntityManager, caller: Principal, id: string): Promise<Schedule> {
    const schedule = isId(id)
      ? await this.selectVisible(tx, caller).andWhere('schedule.id = :id', { id }).getOne()
      : null;
    if (!schedule) throw notFound();
    return schedule;
  }

  /**
   * Returns the schedule with its sealed values, and locks it until the transaction ends. The caller must be allowed to
   * run in its environment.
   * @throws Problem 404; 403 `grant_required`
   */
  async getLocked(tx: EntityManager, caller: Principal, id: string): Promise<Schedule> {
    const { environmentId } = await this.findVisible(tx, caller, id);
    await this.environments.requireRunnable(tx, caller, environmentId);
    const schedule = await this.selectVisible(tx, caller)
      .andWhere('schedule.id = :id', { id })
      .addSelect('schedule.sealedVariables')
      .setLock('pessimistic_write')
      .getOne();
    if (!schedule) throw notFound();
    // The schedule may have moved to another environment since the first read.
    if (schedule.environmentId !== environmentId)
      await this.environments.requireRunnable(tx, caller, schedule.environmentId);
    return schedule;
  }

  async names(tx: EntityManager, tenantId: string, schedules: readonly Schedule[]): Promise<ScheduleNames> {
    const ids = (of: 'planId' | 'environmentId') => [...new Set(schedules.map((schedule) => schedule[of]))];
    return {
      plans: await this.plans.names(tx, tenantId, ids('planId')),
      environments: await this.environments.readNames(tx, tenantId, ids('environmentId')),
    };
  }
}
