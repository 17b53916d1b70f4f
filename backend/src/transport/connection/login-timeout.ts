/** Limits of the login time limit, in seconds. The maximum is the default LoginGraceTime of OpenSSH. */
export const MIN_LOGIN_TIMEOUT = 5;
export const MAX_LOGIN_TIMEOUT = 120;

export const LOGIN_TIMEOUT_RANGE = `from ${MIN_LOGIN_TIMEOUT} to ${MAX_LOGIN_TIMEOUT} seconds`;

export const isLoginTimeout = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= MIN_LOGIN_TIMEOUT && seconds <= MAX_LOGIN_TIMEOUT;

/** @param seconds null or undefined: the default */
export const loginTimeout = (seconds: number | null | undefined): { loginTimeoutMs?: number } =>
  seconds ? { loginTimeoutMs: seconds * 1_000 } : {};
