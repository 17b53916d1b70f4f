import { GitError } from './git-error.js';
import { type GitCall, runGit } from './git-process.js';
import { GIT_CONFIGURATION, gitEnvironment, type GitFolders } from './git-settings.js';

/** A look at a mirror: no network, and soon over. */
export const LOOK_MS = 20_000;
/** The git that connects to the addresses that it is given (`http.curloptResolve`). */
const OLDEST = [2, 37] as const;

/** Runs the machine's git with Runward's configuration and no other. */
export class GitCalls {
  /** That git is there, and new enough; null: not looked yet. */
  private known: Promise<void> | null = null;

  constructor(private readonly folders: GitFolders) {}

  /** @param folder null: no repository. @throws GitError */
  run(
    folder: string | null,
    args: readonly string[],
    call: Omit<GitCall, 'args' | 'env'> & { env?: Readonly<Record<string, string>> },
  ): Promise<Buffer> {
    const place = folder === null ? [] : [`--git-dir=${folder}`];
    return runGit({
      ...call,
      args: [...place, ...GIT_CONFIGURATION, ...args],
      env: { ...gitEnvironment(this.folders), ...call.env },
    });
  }

  /** Older ones look names up themselves, whatever they are told. @throws GitError */
  demandNew(): Promise<void> {
    this.known ??= this.run(null, ['--version'], { timeoutMs: LOOK_MS, maxBytes: 4_096 }).then((output) => {
      const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(output.toString()) ?? [];
      if (Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1])) return;
      throw new GitError('git_missing', `This machine has ${output.toString().trim()}; Runward needs 2.37 or newer.`);
    });
    return this.known.catch((error: unknown) => {
      // It may be installed while this process runs.
      this.known = null;
      throw error;
    });
  }
}
