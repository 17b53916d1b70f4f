import { sql, type Sql } from '../../common/database/sql.js';
import { isInVisibleEnvironmentSql, type Viewer, isWithinLimitsSql } from '../../environments/environments.sql.js';

/**
 * Condition on a row of `schedules`: the caller may see it. A schedule is as visible as its runs: by environment, and
 * for a token limited to plans only those of these plans.
 */
export const isScheduleVisibleSql = (schedule: Sql, caller: Viewer): Sql =>
  sql`(${isWithinLimitsSql('planIds', sql`${schedule}.plan_id`, caller)} and ${isInVisibleEnvironmentSql(schedule, caller)})`;
