/** What sudo (1.6 and later) says where `requiretty` is set. */
export const ASKED_FOR_TTY = /you must have a tty to run sudo/;
