import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitCalls, READ_TIMEOUT_MS } from './git-calls.js';
import { GitError } from './git-error.js';
import type { GitLimits } from './git-settings.js';
import { pathExists, countPackBytes, countPacks, removeGitLeftovers } from './mirror-files.js';
import type { Remote } from './remote.js';
import { toLsRemoteArguments, parseRemoteRefs, type RemoteRefs } from './remote-refs.js';

const MAX_REFS_BYTES = 8 * 1024 * 1024;
const LIST_REFS_TIMEOUT_MS = 60_000;
/** Maximum output, in bytes, of commands that print only errors. */
const MAX_GIT_MESSAGE_BYTES = 65_536;
/** Number of packs above which a mirror is repacked. */
const MAX_PACKS = 40;

/** Updates one mirror from its remote. The caller must hold the mirror's lock. */
export class RefFetcher {
  constructor(
    private readonly calls: GitCalls,
    private readonly limits: GitLimits,
    private readonly folder: string,
    private readonly remote: Remote,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Fetches all branches and tags. @returns refs of the remote. @throws GitError */
  async fetchAllRefs(): Promise<RemoteRefs> {
    const { env, secrets } = this.remote;
    const output = await this.calls.run(null, toLsRemoteArguments(this.remote), {
      ...{ env, secrets, signal: this.signal, maxBytes: MAX_REFS_BYTES },
      timeoutMs: Math.min(this.limits.timeoutMs, LIST_REFS_TIMEOUT_MS),
    });
    const refs = parseRemoteRefs(output, this.limits);
    await this.updateMirrorRefs(refs);
    return refs;
  }

  /** Fetches a commit that no branch contains any more. Only some servers allow this. @throws GitError */
  fetchOneCommit(commit: string): Promise<void> {
    return this.runFetch([`${commit}:refs/runward/${commit}`]);
  }

  private async updateMirrorRefs(remoteRefs: RemoteRefs): Promise<void> {
    const { folder, calls } = this;
    const isNew = !(await pathExists(folder));
    if (isNew) await this.createMirror();
    try {
      await removeGitLeftovers(folder);
      const known = isNew ? new Map<string, string>() : await this.readMirrorRefs();
      const changed = [...remoteRefs.refs]
        .filter(([name, { object }]) => known.get(name) !== object)
        .map(([name]) => name);
      const gone = [...known.keys()].filter((name) => !remoteRefs.refs.has(name));
      // Deletes refs before others are created: a new ref `a/b` conflicts with a deleted ref `a`.
      if (gone.length > 0) {
        const stdin = gone.map((name) => `delete ${name}\n`).join('');
        await calls.run(folder, ['update-ref', '--stdin'], {
          stdin,
          timeoutMs: READ_TIMEOUT_MS,
          maxBytes: MAX_GIT_MESSAGE_BYTES,
        });
      }
      if (changed.length === 0) return;
      await this.runFetch(changed.map((name) => `+${name}:${name}`));
      await this.repackIfNeeded();
    } catch (error) {
      await removeGitLeftovers(folder);
      const broken = error instanceof GitError && ['failed', 'too_large'].includes(error.code);
      if (isNew || broken) await rm(folder, { recursive: true, force: true });
      // A new mirror cannot be damaged or contain discarded commits. A damaged older one is deleted and fetched again,
      // once.
      if (isNew || !broken) throw error;
      await this.updateMirrorRefs(remoteRefs);
    }
  }

  /** Creates the mirror under another name, and renames it only when it is complete. */
  private async createMirror(): Promise<void> {
    await mkdir(join(this.folder, '..'), { recursive: true, mode: 0o700 });
    const newFolder = `${this.folder}.new`;
    await rm(newFolder, { recursive: true, force: true });
    const init = ['init', '--quiet', '--bare', '--template=', '--', newFolder];
    await this.calls.run(null, init, { timeoutMs: READ_TIMEOUT_MS, maxBytes: MAX_GIT_MESSAGE_BYTES });
    await rename(newFolder, this.folder);
  }

  private async readMirrorRefs(): Promise<Map<string, string>> {
    const list = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags'];
    const output = await this.calls.run(this.folder, list, { timeoutMs: READ_TIMEOUT_MS, maxBytes: MAX_REFS_BYTES });
    const lines = output.toString('utf8').split('\n');
    return new Map(
      lines
        .filter((line) => line !== '')
        .map((line): [string, string] => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
    );
  }

  private async runFetch(refspecs: readonly string[]): Promise<void> {
    const { folder, remote, limits, signal } = this;
    const { repositoryBytes: limit, timeoutMs } = limits;
    const tooLarge = new GitError(
      'too_large',
      `The repository is larger than ${limit / 1024 ** 2} MiB, the limit of this installation (RUNWARD_GIT_REPOSITORY_MIB).`,
    );
    if ((await countPackBytes(folder)) > limit) throw tooLarge;
    const flags = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-auto-maintenance'];
    const args = [...remote.options, 'fetch', ...flags, '--refmap=', '--stdin', '--', remote.url.text];
    await this.calls.run(folder, args, {
      stdin: refspecs.map((refspec) => `${refspec}\n`).join(''),
      ...{ env: remote.env, secrets: remote.secrets, timeoutMs, signal, maxBytes: MAX_GIT_MESSAGE_BYTES },
      // Slightly above the limit, so that `watch` can detect the excess.
      maxFileBytes: limit + 65_536,
      watch: async () => ((await countPackBytes(folder)) > limit ? tooLarge : null),
    });
  }

  private async repackIfNeeded(): Promise<void> {
    if ((await countPacks(this.folder)) <= MAX_PACKS) return;
    const { timeoutMs } = this.limits;
    const repack = this.calls.run(this.folder, ['repack', '-a', '-d', '-q'], {
      timeoutMs,
      maxBytes: MAX_GIT_MESSAGE_BYTES,
    });
    // Ignores errors: the mirror is valid even if repacking fails.
    await repack.catch(() => undefined);
  }
}
