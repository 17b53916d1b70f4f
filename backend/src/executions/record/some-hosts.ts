import { sql, type Sql } from '../../common/database/sql.js';

/**
 * SQL relation `(execution_id, server_id, ...)` of some hosts of one run. Join it with a table that has one row per
 * host of a run. If the planner saw the run ID in a condition, it might read all rows of the run and filter them. This
 * is slow for runs with thousands of hosts. `offset 0` hides the ID, so each host is looked up by index.
 * @param servers SQL after `from` of a relation with the column `server_id`; all its columns are kept
 */
export const selectHostPairsSql = (executionId: string, servers: Sql): Sql =>
  sql`(select ${executionId}::uuid as execution_id, * from ${servers} offset 0)`;

/** SQL condition that joins a table's row (one per host of a run) with {@link selectHostPairsSql}. */
export const isHostSql = (row: Sql, some: Sql): Sql =>
  sql`${row}.execution_id = ${some}.execution_id and ${row}.server_id = ${some}.server_id`;
