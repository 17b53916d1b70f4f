/** All of them are exported to every command that runs on the server, beside those of its environment. */
export const MOST_SERVER_VARIABLES = 100;

/** What they may have together as they are stored; large texts belong in files. A run may carry those of 10,000 servers. */
export const MOST_SERVER_VARIABLE_BYTES = 256 * 1024;

/** What the variables of all hosts of one run may have together: they are frozen with it. */
export const MOST_RUN_VARIABLE_BYTES = 16 * 1024 * 1024;
