/** Limits of the login time limit, in seconds. The maximum is the default LoginGraceTime of OpenSSH. */
export const MIN_LOGIN_TIMEOUT_SECONDS = 5;
export const MAX_LOGIN_TIMEOUT_SECONDS = 120;

export const LOGIN_TIMEOUT_RANGE_TEXT = `from ${MIN_LOGIN_TIMEOUT_SECONDS} to ${MAX_LOGIN_TIMEOUT_SECONDS} seconds`;

export const isValidLoginTimeout = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= MIN_LOGIN_TIMEOUT_SECONDS && seconds <= MAX_LOGIN_TIMEOUT_SECONDS;

/** @param seconds null or undefined: the default */
export const toLoginTimeoutOption = (seconds: number | null | undefined): { loginTimeoutMs?: number } =>
  seconds ? { loginTimeoutMs: seconds * 1_000 } : {};
