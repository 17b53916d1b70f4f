/** A reason why Runward can't start, in one line that tells a person what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * The system's short name of a failure (`EACCES`), or the message where there is none. Asks for the properties and not
 * for the class: errors of Node's own modules belong to another realm inside a test's sandbox.
 */
export function reasonOf(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return code;
  return typeof message === 'string' ? message : String(error);
}

const IN_WORDS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'not permitted',
  EEXIST: "it isn't a folder",
  ENOTDIR: "it isn't a folder",
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
};

/** What a person reads in brackets behind a failed step on a file or folder. */
export function inWords(error: unknown): string {
  const reason = reasonOf(error);
  return IN_WORDS[reason] ?? reason;
}
