/** Message of sudo (1.6 and later) on hosts with the option `requiretty`. */
export const ASKED_FOR_TTY = /you must have a tty to run sudo/;
