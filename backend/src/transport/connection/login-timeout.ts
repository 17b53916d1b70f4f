/** Bounds of the time limit of a login, in seconds. The longest is the LoginGraceTime of OpenSSH. */
export const SHORTEST_LOGIN_TIMEOUT = 5;
export const LONGEST_LOGIN_TIMEOUT = 120;

export const LOGIN_TIMEOUT_RANGE = `from ${SHORTEST_LOGIN_TIMEOUT} to ${LONGEST_LOGIN_TIMEOUT} seconds`;

export const isLoginTimeout = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= SHORTEST_LOGIN_TIMEOUT && seconds <= LONGEST_LOGIN_TIMEOUT;

/** The time limit of a server's login as part of its `SshTarget`. @param seconds null or undefined: the default */
export const loginTimeout = (seconds: number | null | undefined): { loginTimeoutMs?: number } =>
  seconds ? { loginTimeoutMs: seconds * 1_000 } : {};
