/** Reason why Runward cannot start, in one line that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * System error code (`EACCES`), or the message if there is none. Reads the properties instead of testing the class:
 * errors of Node's modules belong to another realm inside a test sandbox.
 */
export function reasonOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return code;
  return typeof message === 'string' ? message : String(error);
}

const SYSTEM_ERROR_TEXTS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'not permitted',
  EEXIST: "it isn't a folder",
  ENOTDIR: "it isn't a folder",
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
};

/** Text for brackets after a failed operation on a file or folder. */
export function describeSystemError(error: unknown): string {
  const reason = reasonOf(error);
  return SYSTEM_ERROR_TEXTS[reason] ?? reason;
}
