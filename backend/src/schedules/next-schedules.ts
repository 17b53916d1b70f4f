import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { rows, sql } from '../common/database/sql.js';
import { isScheduleVisibleSql } from './records/visible-schedule.js';

export interface NextSchedule {
  id: string;
  name: string;
  environmentId: string;
  nextAt: Date | null;
}

/** Returns the enabled schedules of each environment that start next. */
export const listNextSchedules = (
  tx: EntityManager,
  caller: Principal,
  environmentIds: readonly string[],
  limit: number,
): Promise<NextSchedule[]> =>
  rows(
    tx,
    sql<NextSchedule>`
      select s.* from unnest(${environmentIds}::uuid[]) as environment (id)
        cross join lateral (
          select s.id, s.name, s.environment_id as "environmentId", s.next_at as "nextAt" from schedules s
            where s.tenant_id = ${caller.tenantId} and s.environment_id = environment.id and s.enabled
              and s.next_at is not null and ${isScheduleVisibleSql(sql.raw('s'), caller)}
            order by s.next_at, s.id limit ${limit}) s
        order by s."nextAt", s.id`,
  );
