import { GitError } from './git-error.js';
import { type GitCall, runGit } from './git-process.js';
import { GIT_CONFIGURATION, toGitEnvironment, type GitFolders } from './git-settings.js';

/** Time limit for reading a mirror, in ms. Reading needs no network. */
export const READ_TIMEOUT_MS = 20_000;
/** Oldest git version that supports `http.curloptResolve`. */
const MIN_GIT_VERSION = [2, 37] as const;

export class GitCalls {
  private known: Promise<void> | null = null;

  constructor(private readonly folders: GitFolders) {}

  /** @param folder null: outside a repository. @throws GitError */
  run(
    folder: string | null,
    args: readonly string[],
    call: Omit<GitCall, 'args' | 'env'> & { env?: Readonly<Record<string, string>> },
  ): Promise<Buffer> {
    const gitDir = folder === null ? [] : [`--git-dir=${folder}`];
    return runGit({
      ...call,
      args: [...gitDir, ...GIT_CONFIGURATION, ...args],
      env: { ...toGitEnvironment(this.folders), ...call.env },
    });
  }

  /** Requires a version of git that uses the resolved addresses instead of resolving host names. @throws GitError */
  requireVersion(): Promise<void> {
    this.known ??= this.run(null, ['--version'], { timeoutMs: READ_TIMEOUT_MS, maxBytes: 4_096 }).then((output) => {
      const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(output.toString()) ?? [];
      if (
        Number(major) > MIN_GIT_VERSION[0] ||
        (Number(major) === MIN_GIT_VERSION[0] && Number(minor) >= MIN_GIT_VERSION[1])
      )
        return;
      throw new GitError('git_missing', `This machine has ${output.toString().trim()}; Runward needs 2.37 or newer.`);
    });
    return this.known.catch((error: unknown) => {
      // Tests again next time, because an administrator may install git while this process runs.
      this.known = null;
      throw error;
    });
  }
}
