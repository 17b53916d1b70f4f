/** Runs export all of them to every command on the server, in addition to the environment's variables. */
export const MAX_SERVER_VARIABLES = 100;

/** Total size of one server's variables as stored. A run can contain the variables of 10,000 servers. */
export const MAX_SERVER_VARIABLE_BYTES = 256 * 1024;

/** Total size of the server variables in one run, because its snapshot contains them. */
export const MAX_RUN_VARIABLE_BYTES = 16 * 1024 * 1024;
