import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { OutgoingAddresses } from '../../common/network/outgoing-addresses.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { isCommitId } from '../urls/git-names.js';
import type { GitUrl } from '../urls/git-url.js';
import { RefFetcher } from './fetch-refs.js';
import { withFileLock } from './file-lock.js';
import { GitCalls, READ_TIMEOUT_MS } from './git-calls.js';
import { GitError } from './git-error.js';
import type { GitCall } from './git-process.js';
import { type GitFolders, getGitFolders, type GitLimits, getGitLimits, makeGitFolders } from './git-settings.js';
import { pathExists, countPackBytes } from './mirror-files.js';
import { resolveAddresses, type RemoteAccess, withRemote } from './remote.js';
import type { RemoteRefs } from './remote-refs.js';

export interface MirrorId {
  tenantId: string;
  id: string;
  url: GitUrl;
}

/** Bare mirrors of repositories on the disk of this machine. A lost mirror can be fetched again from its remote. */
@Injectable()
export class Mirrors {
  readonly folders: GitFolders;
  readonly limits: GitLimits;
  readonly outgoing: OutgoingAddresses;
  private readonly calls: GitCalls;
  private readonly caFile: string | undefined;
  /** Last queued work of each mirror. This process runs the work of one mirror sequentially. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(@Inject(RUNTIME) { settings }: Runtime) {
    this.folders = getGitFolders(settings);
    this.limits = getGitLimits(settings);
    this.outgoing = new OutgoingAddresses(settings.refusedAddresses, settings.outgoingPrivate);
    this.calls = new GitCalls(this.folders);
    this.caFile = settings.gitCaFile;
  }

  /** The path depends on the address, so a new address gets a new mirror. */
  getFolder({ tenantId, id, url }: MirrorId): string {
    const address = createHash('sha256').update(url.text).digest('hex').slice(0, 16);
    return join(this.folders.mirrors, tenantId, `${id}-${address}.git`);
  }

  /** Without network access. @throws GitError */
  runReadCommand(mirror: MirrorId, args: readonly string[], more: Partial<GitCall> = {}): Promise<Buffer> {
    return this.calls.run(this.getFolder(mirror), args, { timeoutMs: READ_TIMEOUT_MS, maxBytes: 1024 * 1024, ...more });
  }

  async hasCommit(mirror: MirrorId, commit: string): Promise<boolean> {
    if (!isCommitId(commit) || !(await pathExists(this.getFolder(mirror)))) return false;
    return this.runReadCommand(mirror, ['cat-file', '-e', `${commit}^{commit}`]).then(
      () => true,
      (error: unknown) => {
        if (error instanceof GitError && error.code !== 'git_missing') return false;
        throw error;
      },
    );
  }

  /**
   * @returns refs of the remote
   * @throws GitError
   */
  fetchAll(mirror: MirrorId, access: RemoteAccess, signal?: AbortSignal): Promise<RemoteRefs> {
    return this.runExclusively(mirror, () => this.runFetch(mirror, access, signal, (fetch) => fetch.fetchAllRefs()));
  }

  /**
   * Ensures that this machine has the commit. Concurrent calls share one fetch.
   * @param access called only if a fetch is necessary
   * @throws GitError
   */
  async ensureCommit(
    mirror: MirrorId,
    commit: string,
    access: () => Promise<RemoteAccess>,
    signal?: AbortSignal,
  ): Promise<void> {
    if (await this.hasCommit(mirror, commit)) return;
    await this.runExclusively(mirror, async () => {
      if (await this.hasCommit(mirror, commit)) return;
      await this.runFetch(mirror, await access(), signal, async (fetch) => {
        await fetch.fetchAllRefs();
        if (await this.hasCommit(mirror, commit)) return;
        await fetch.fetchOneCommit(commit).catch(() => undefined);
        if (await this.hasCommit(mirror, commit)) return;
        throw new GitError('commit_missing', `The remote no longer has the commit ${commit}. Sync the source.`);
      });
    });
  }

  /** Returns the number of files in a commit. @throws GitError if it exceeds the limit */
  async countFiles(mirror: MirrorId, commit: string): Promise<number> {
    const limit = this.limits.files;
    let files = 0;
    await this.runReadCommand(mirror, ['ls-tree', '-r', '-z', '--name-only', commit], {
      timeoutMs: this.limits.timeoutMs,
      onOutput: (part) => {
        for (const byte of part) if (byte === 0) files += 1;
        return files > limit
          ? new GitError('too_many_files', `The branch has more than ${limit} files, which is the limit of a source.`)
          : null;
      },
    });
    return files;
  }

  countBytes(mirror: MirrorId): Promise<number> {
    return countPackBytes(this.getFolder(mirror));
  }

  private async runFetch<T>(
    mirror: MirrorId,
    access: RemoteAccess,
    signal: AbortSignal | undefined,
    work: (fetch: RefFetcher) => Promise<T>,
  ): Promise<T> {
    await this.calls.requireVersion();
    const { folders, caFile } = this;
    const addresses = await resolveAddresses(access.url, this.outgoing);
    return withRemote(access, { addresses, folders, caFile }, (remote) =>
      work(new RefFetcher(this.calls, this.limits, this.getFolder(mirror), remote, signal)),
    );
  }

  /** Runs one piece of work at a time per mirror, in this process and in all processes that share the folder. */
  private async runExclusively<T>(mirror: MirrorId, work: () => Promise<T>): Promise<T> {
    const folder = this.getFolder(mirror);
    const before = this.turns.get(folder) ?? Promise.resolve();
    const turn = before
      .catch(() => undefined)
      .then(async () => {
        await makeGitFolders(this.folders);
        await mkdir(join(folder, '..'), { recursive: true, mode: 0o700 });
        return withFileLock(`${folder}.lock`, this.limits.timeoutMs + 30_000, work);
      });
    this.turns.set(folder, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(folder) === turn) this.turns.delete(folder);
    }
  }
}
