/** SQL relation of the servers that runs may touch, for rooms that need them in a statement of theirs. */
export const ENABLED_SERVERS = '(select tenant_id, id, environment_id from servers where enabled)';

/** SQL relation of the servers whose login can run no command, by the latest check or run. */
export const SERVERS_WITHOUT_COMMANDS = "(select tenant_id, id from servers where state = 'no_commands')";
