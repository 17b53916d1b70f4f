import { sql } from '../../common/database/sql.js';
import { SERVERS_WITHOUT_COMMANDS_SQL } from '../../inventory/ports/servers.sql.js';
import type { RunWarningView } from '../contract/execution.view.js';

const MAX_NAMED_HOSTS = 20;

export interface HostsWithoutCommands {
  count: number;
  names: string[];
}

/**
 * SQL: hosts of the run `e` whose login cannot run commands. Null when a real run has begun, because its results show
 * these hosts.
 */
export const HOSTS_WITHOUT_COMMANDS_SQL = sql`case when e.started_at is null or e.execution_mode = 'dry_run' then
    (select json_build_object('count', count(*), 'names', coalesce((array_agg(w.name order by w.ordinal))[1:${MAX_NAMED_HOSTS}::int], '{}'))
      from (select h.name, h.ordinal from execution_hosts h join ${SERVERS_WITHOUT_COMMANDS_SQL} s on s.tenant_id = e.tenant_id and s.id = h.server_id
        where h.execution_id = e.id) w) end`;

export function toRunWarnings(found: HostsWithoutCommands | null): RunWarningView[] {
  if (!found || found.count === 0) return [];
  const { count, names } = found;
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  const message = `Runward can sign in to ${names.map((name) => `"${name}"`).join(', ')}${more}, but the login cannot run commands there, so steps fail. Diagnose these servers, or select other targets.`;
  return [{ code: 'no_commands', message, hosts: names, hostCount: count }];
}
