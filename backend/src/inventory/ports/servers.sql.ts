/** SQL relation of the servers that runs may touch, for rooms that need them in a statement of theirs. */
export const ENABLED_SERVERS = '(select tenant_id, id, environment_id from servers where enabled)';
