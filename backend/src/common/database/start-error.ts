export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * Returns the system error code (`EACCES`), or the message if there is no code. Does not test the class: inside a test
 * sandbox, errors of Node.js modules have another class.
 */
export function toReason(error: unknown): string {
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

export function describeSystemError(error: unknown): string {
  const reason = toReason(error);
  return SYSTEM_ERROR_TEXTS[reason] ?? reason;
}
