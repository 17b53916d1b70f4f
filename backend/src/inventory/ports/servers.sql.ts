import { sql } from '../../common/database/sql.js';

/** SQL relation of enabled servers, for statements of other modules. */
export const ENABLED_SERVERS_SQL = sql`(select tenant_id, id, environment_id from servers where enabled)`;

/** SQL relation of servers whose login can run no commands, by the latest check or run. */
export const SERVERS_WITHOUT_COMMANDS_SQL = sql`(select tenant_id, id from servers where state = 'no_commands')`;
