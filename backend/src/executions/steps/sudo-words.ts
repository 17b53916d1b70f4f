/** Message of sudo (1.6 and later) where `requiretty` is set. */
export const ASKED_FOR_TTY = /you must have a tty to run sudo/;
