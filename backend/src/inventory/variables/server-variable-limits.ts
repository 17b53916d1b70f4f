/** Runs export all of them to every command on the server, in addition to those of its environment. */
export const MAX_SERVER_VARIABLES = 100;

/** Maximum total size of a server's variables as stored. A run can contain those of 10,000 servers. */
export const MAX_SERVER_VARIABLE_BYTES = 256 * 1024;

/** Maximum total size of the server variables in one run: its snapshot contains them. */
export const MAX_RUN_VARIABLE_BYTES = 16 * 1024 * 1024;
