import type { ProblemItem } from '../../common/errors/problem-item.js';

export const MAX_REF_LENGTH = 250;
export const MAX_PATH_LENGTH = 1024;

const COMMIT_ID_PATTERN = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export const isCommitId = (text: string): boolean => COMMIT_ID_PATTERN.test(text);

/**
 * Whether the text is a supported name of a branch or tag: valid in git (git-check-ref-format), no part starts with a
 * dash, and no invisible characters.
 */
export function isRefName(text: string): boolean {
  if (text === '' || text === '@' || text.length > MAX_REF_LENGTH) return false;
  if (/[\p{Cc}\p{Cf}\p{Surrogate}\p{Zl}\p{Zp} ~^:?*[\\]/u.test(text) || text.includes('..') || text.includes('@{'))
    return false;
  return text.split('/').every((part) => /^[^.-]/u.test(part) && !part.endsWith('.lock') && !part.endsWith('.'));
}

/** Returns why the text is not the path of a file or folder in a repository; null: it is valid. */
export function findRepositoryPathFault(text: string): string | null {
  const isValid =
    text.length <= MAX_PATH_LENGTH &&
    !/[\p{Cc}\p{Surrogate}\u202a-\u202e\u2066-\u2069]/u.test(text) &&
    text.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  return isValid
    ? null
    : 'Send the path from the root of the repository, such as deploy/restart.sh, without a leading or trailing slash and without "..".';
}

/** Validates path and ref of content in a git source. @param at JSON pointer of the object that contains them */
export function findSourceNameFaults(
  { path, ref }: { path: string; ref: string | null },
  at: string,
  field: 'path' | 'sourcePath' = 'path',
): ProblemItem[] {
  const faults: ProblemItem[] = [];
  const fault = findRepositoryPathFault(path);
  if (fault !== null)
    faults.push({ path: `${at}/${field}`, code: path === '' ? 'required' : 'invalid_path', message: fault });
  if (ref !== null && !isCommitId(ref) && !isRefName(ref)) {
    const message = 'Send the name of a branch or tag, or a full commit ID.';
    faults.push({ path: `${at}/ref`, code: 'invalid_ref', message });
  }
  return faults;
}
