import { sql, type Sql } from '../../common/database/sql.js';

/** Columns of an external event, for `insertSubscribedEvents`. @param run alias of a row of `executions` */
export const selectEventColumnsSql = (run: Sql): Sql =>
  sql`${run}.environment_id, ${run}.plan_id, ${run}.id as execution_id,
    jsonb_build_object('id', ${run}.id, 'planId', ${run}.plan_id, 'planName', ${run}.plan_name,
      'planRevision', ${run}.plan_revision, 'environmentId', ${run}.environment_id,
      'environmentName', ${run}.environment_name, 'status', ${run}.status, 'execution_mode', ${run}.execution_mode,
      'startedBy', jsonb_build_object('id', ${run}.started_by, 'name', ${run}.started_by_name), 'labels', ${run}.labels) as run`;
