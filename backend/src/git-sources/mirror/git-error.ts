/** Reasons why a repository could not be reached or read. `GET /api/git-sources` returns them too. */
export const GIT_ERROR_CODES = [
  'git_missing',
  'timed_out',
  'stopped',
  'too_large',
  'too_many_files',
  'too_many_refs',
  'host_not_found',
  'address_refused',
  'unreachable',
  'certificate_refused',
  'login_refused',
  'host_key_unknown',
  'host_key_changed',
  'repository_not_found',
  'branch_missing',
  'commit_missing',
  'failed',
] as const;
export type GitErrorCode = (typeof GIT_ERROR_CODES)[number];

/** Failure of a git command. The message is git's own, if there is one, without credentials. */
export class GitError extends Error {
  override readonly name = 'GitError';

  constructor(
    readonly code: GitErrorCode,
    message: string,
  ) {
    super(message);
  }
}

const MAX_MESSAGE_LENGTH = 1_000;

/** The first match wins. */
const ERROR_CODE_BY_OUTPUT: readonly (readonly [RegExp, GitErrorCode])[] = [
  [/file too large|signal 25/i, 'too_large'],
  [/host key verification failed|host key .* has changed|remote host identification has changed/i, 'host_key_changed'],
  [
    /permission denied|could not read (?:username|password)|authentication failed|error: 40[13]|access denied/i,
    'login_refused',
  ],
  [/certificate|SSL|TLS/, 'certificate_refused'],
  [
    /repository .*not found|not found$|does not appear to be a git repository|no such (?:file|repository|project)|error: 404/im,
    'repository_not_found',
  ],
  [
    /could ?n[o']t (?:connect|resolve)|failed to connect|connection (?:refused|reset|timed out|closed)|no route to host|network is unreachable|timed out|too slow|transfer closed|hung up|early EOF|empty reply/i,
    'unreachable',
  ],
];

export function toGitError(stderr: string, secrets: readonly string[]): GitError {
  const message = toGitMessage(stderr, secrets);
  const code = ERROR_CODE_BY_OUTPUT.find(([pattern]) => pattern.test(message))?.[1] ?? 'failed';
  return new GitError(code, message === '' ? 'git failed and did not say why.' : message);
}

/** Returns the relevant lines of git's output, without terminal control sequences and credentials. */
export function toGitMessage(stderr: string, secrets: readonly string[]): string {
  const lines = maskSecrets(stderr, secrets)
    .replace(/\p{Cc}\[[0-9;]*[A-Za-z]/gu, '')
    .split(/[\r\n]+/)
    .map((line) => line.replace(/[\p{Cc}\p{Cf}\p{Surrogate}]/gu, '').trim())
    .filter(
      (line) =>
        line !== '' && !/^(?:remote: *)?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Total)\b/.test(line),
    );
  const informativeLines = lines.filter((line) =>
    /^(?:fatal|error|remote|ssh|warning: redirect)|denied|verification/i.test(line),
  );
  return (informativeLines.length > 0 ? informativeLines : lines).join(' ').slice(0, MAX_MESSAGE_LENGTH);
}

/** Masks credentials in every encoding that a program may print, and user and password in addresses from a server. */
function maskSecrets(text: string, secrets: readonly string[]): string {
  const secretForms = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
  ]);
  const whole = [...new Set(secretForms)]
    .filter((form) => form !== '')
    .sort((one, other) => other.length - one.length)
    .reduce((maskedText, form) => maskedText.replaceAll(form, '‹credential›'), text);
  return whole
    .replace(/(\w+:\/\/)[^\s/@]+@/g, '$1‹credential›@')
    .replace(/(authorization: *\w+ +)\S+/gi, '$1‹credential›');
}
