import { sql, type Sql } from '../database/sql.js';

export const MAY_START_SQL = sql`installation_begins()`;
export const MAY_ACT_SQL = sql`installation_acts()`;

/**
 * SQL expression: code and text of the state if it is one of `states`, else null. Evaluated once per statement.
 * @param states SQL list, such as `'draining', 'held'`
 */
export const stopCodeSql = (states: Sql): Sql =>
  sql`(select 'installation_' || state from installation where state in (${states}))`;
export const stopTextSql = (states: Sql): Sql =>
  sql`(select 'The installation is ' || state || '. ' || reason from installation where state in (${states}))`;
