import { sql, type Sql } from '../../common/database/sql.js';

export const runFacts = (alias: string): string =>
  `jsonb_build_object('id', ${alias}.id, 'planId', ${alias}.plan_id, 'planName', ${alias}.plan_name,
    'planRevision', ${alias}.plan_revision, 'environmentId', ${alias}.environment_id,
    'environmentName', ${alias}.environment_name, 'status', ${alias}.status, 'execution_mode', ${alias}.execution_mode,
    'startedBy', jsonb_build_object('id', ${alias}.started_by, 'name', ${alias}.started_by_name), 'labels', ${alias}.labels)`;

export const externalEventColumns = (alias: string): string =>
  `${alias}.environment_id, ${alias}.plan_id, ${alias}.id as execution_id, ${runFacts(alias)} as run`;

/** Columns of an external event, for `insertSubscribedEvents`. @param run alias of a row of `executions` */
export const eventColumnsOf = (run: Sql): Sql =>
  sql`${run}.environment_id, ${run}.plan_id, ${run}.id as execution_id,
    jsonb_build_object('id', ${run}.id, 'planId', ${run}.plan_id, 'planName', ${run}.plan_name,
      'planRevision', ${run}.plan_revision, 'environmentId', ${run}.environment_id,
      'environmentName', ${run}.environment_name, 'status', ${run}.status, 'execution_mode', ${run}.execution_mode,
      'startedBy', jsonb_build_object('id', ${run}.started_by, 'name', ${run}.started_by_name), 'labels', ${run}.labels) as run`;
