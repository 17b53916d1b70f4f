export const ENABLED_SERVERS = '(select tenant_id, id, environment_id from servers where enabled)';

/** Servers on which the login could not run commands at the latest check or run. */
export const SERVERS_WITHOUT_COMMANDS = "(select tenant_id, id from servers where state = 'no_commands')";
