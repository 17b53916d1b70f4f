import type { Principal } from '../../common/access/principal.js';
import { type Sql, sql } from '../../common/database/sql.js';
import { isInVisibleEnvironmentSql } from '../../environments/environments.sql.js';

/** SQL relation of enabled servers, for statements of other modules. */
export const ENABLED_SERVERS_SQL = sql`(select tenant_id, id, environment_id from servers where enabled)`;

/** SQL relation of servers whose login can run no commands, by the latest check or run. */
export const SERVERS_WITHOUT_COMMANDS_SQL = sql`(select tenant_id, id from servers where state = 'no_commands')`;

/** SQL relation: facts of the servers that the caller can see. */
export const visibleFactsSql = (caller: Principal): Sql => sql`(
  select s.id, s.facts from servers s where s.facts is not null and ${isInVisibleEnvironmentSql(sql.raw('s'), caller)})`;
