/** Message of sudo (1.6 and later) on hosts with the option `requiretty`. */
export const SUDO_TTY_ERROR = /you must have a tty to run sudo/;
