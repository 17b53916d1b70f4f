import { sql, type Sql } from '../../common/database/sql.js';
import { isInVisibleEnvironmentSql, type Viewer, isWithinLimitsSql } from '../../environments/visible-environment.js';

/**
 * Condition on a row of `executions`: the caller may see the run. A run is as visible as its environment. A token
 * limited to plans sees only runs of these plans.
 */
export const isRunVisibleToSql = (run: Sql, caller: Viewer): Sql =>
  sql`(${isWithinLimitsSql('planIds', sql`${run}.plan_id`, caller)} and ${isInVisibleEnvironmentSql(run, caller)})`;
