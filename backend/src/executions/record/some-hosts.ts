/**
 * SQL relation `(execution_id, server_id, ...)`: some hosts of one run, to join with a table that has one row per host
 * of a run. If the planner sees the run ID in a condition, it may read all rows of the run and filter them. That is
 * slow for runs with thousands of hosts. `offset 0` hides the ID, so each host is looked up by index.
 * @param execution SQL of the run's ID
 * @param servers SQL after `from` of a relation with the column `server_id`; all its columns are kept
 */
export const someHosts = (execution: string, servers: string): string =>
  `(select ${execution}::uuid as execution_id, * from ${servers} offset 0)`;

/** SQL condition that joins a row of such a table with {@link someHosts}. */
export const isHost = (row: string, some: string): string =>
  `${row}.execution_id = ${some}.execution_id and ${row}.server_id = ${some}.server_id`;
