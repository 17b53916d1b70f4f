/**
 * SQL relation `(execution_id, server_id, ...)`: some hosts of one run, to be joined with a table that has a row for each host of a run.
 * The usual run has few hosts, so a planner that sees the run's id in a condition may read all rows of the run and leave out
 * those of other hosts, which is long in a run of thousands. `offset 0` keeps the id from it: each host is looked up.
 * @param execution SQL of the run's id
 * @param servers SQL after `from` of a relation with the column `server_id`, all of whose columns it has
 */
export const someHosts = (execution: string, servers: string): string =>
  `(select ${execution}::uuid as execution_id, * from ${servers} offset 0)`;

/** SQL condition that joins a row of such a table with {@link someHosts}. */
export const isHost = (row: string, some: string): string =>
  `${row}.execution_id = ${some}.execution_id and ${row}.server_id = ${some}.server_id`;
