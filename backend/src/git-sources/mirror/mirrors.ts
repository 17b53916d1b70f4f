import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { OutgoingAddresses } from '../../common/network/outgoing-addresses.js';
import { RUNTIME, type Runtime } from '../../common/runtime.js';
import { isCommitId } from '../urls/git-names.js';
import type { GitUrl } from '../urls/git-url.js';
import { underFileLock } from './file-lock.js';
import { GitError } from './git-error.js';
import { type GitCall, runGit } from './git-process.js';
import {
  GIT_CONFIGURATION,
  gitEnvironment,
  type GitFolders,
  gitFolders,
  type GitLimits,
  gitLimits,
  makeGitFolders,
} from './git-settings.js';
import { exists, packBytes, packCount, removeLeftovers } from './mirror-files.js';
import { addressesOf, type Remote, type RemoteAccess, withRemote } from './remote.js';
import { lsRemote, readRefs, type RemoteRefs } from './remote-refs.js';

/** Which repository of whom. */
export interface MirrorId {
  tenantId: string;
  id: string;
  url: GitUrl;
}

/** A look at a mirror: no network, and soon over. */
const LOOK_MS = 20_000;
/** What `ls-remote` may tell. */
const MOST_REFS_BYTES = 8 * 1024 * 1024;
/** The git that connects to the addresses that it is given (`http.curloptResolve`). */
const OLDEST = [2, 37] as const;
/** Packs of a mirror, beyond which they are made one. */
const MOST_PACKS = 40;

/** Bare mirrors of repositories on the disk of this machine. They are copies: each can be made again from its remote. */
@Injectable()
export class Mirrors {
  readonly folders: GitFolders;
  readonly limits: GitLimits;
  readonly outgoing: OutgoingAddresses;
  private readonly caFile: string | undefined;
  /** That git is there, and new enough; null: not looked yet. */
  private known: Promise<void> | null = null;
  /** Work on each mirror, one after the other within this process. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(@Inject(RUNTIME) { settings }: Runtime) {
    this.folders = gitFolders(settings);
    this.limits = gitLimits(settings);
    this.outgoing = new OutgoingAddresses(settings.refusedAddresses, settings.outgoingPrivate);
    this.caFile = settings.gitCaFile;
  }

  /** Another address is another mirror. */
  folderOf({ tenantId, id, url }: MirrorId): string {
    const address = createHash('sha256').update(url.text).digest('hex').slice(0, 16);
    return join(this.folders.mirrors, tenantId, `${id}-${address}.git`);
  }

  /** Runs git on the mirror, without the network. @throws GitError */
  read(mirror: MirrorId, args: readonly string[], more: Partial<GitCall> = {}): Promise<Buffer> {
    return this.git(this.folderOf(mirror), args, { timeoutMs: LOOK_MS, maxBytes: 1024 * 1024, ...more });
  }

  /** Whether this machine has the commit, with all that it holds. */
  async has(mirror: MirrorId, commit: string): Promise<boolean> {
    if (!isCommitId(commit) || !(await exists(this.folderOf(mirror)))) return false;
    return this.read(mirror, ['cat-file', '-e', `${commit}^{commit}`]).then(
      () => true,
      (error: unknown) => {
        if (error instanceof GitError && error.code !== 'git_missing') return false;
        throw error;
      },
    );
  }

  /**
   * Brings the mirror to what the remote has now.
   * @returns what that is
   * @throws GitError
   */
  update(mirror: MirrorId, access: RemoteAccess, signal?: AbortSignal): Promise<RemoteRefs> {
    return this.alone(mirror, () =>
      this.withRemote(access, async (remote) => {
        const refs = await this.refsOf(remote, signal);
        await this.bring(mirror, remote, refs, signal);
        return refs;
      }),
    );
  }

  /**
   * Makes sure that this machine has the commit: fetched once, whoever asks for it at the same time.
   * @param access opened only when it is needed
   * @throws GitError
   */
  async ensure(
    mirror: MirrorId,
    commit: string,
    access: () => Promise<RemoteAccess>,
    signal?: AbortSignal,
  ): Promise<void> {
    if (await this.has(mirror, commit)) return;
    await this.alone(mirror, async () => {
      if (await this.has(mirror, commit)) return;
      await this.withRemote(await access(), async (remote) => {
        await this.bring(mirror, remote, await this.refsOf(remote, signal), signal);
        if (await this.has(mirror, commit)) return;
        // No branch leads to it any more; some servers give it all the same.
        await this.fetch(this.folderOf(mirror), remote, [`${commit}:refs/runward/${commit}`], signal).catch(
          () => undefined,
        );
        if (!(await this.has(mirror, commit)))
          throw new GitError(
            'commit_missing',
            `The remote does not have the commit ${commit} any more. Sync the source.`,
          );
      });
    });
  }

  /** How many files a commit holds. @throws GitError when there are more than may be */
  async countFiles(mirror: MirrorId, commit: string): Promise<number> {
    const most = this.limits.files;
    let files = 0;
    await this.read(mirror, ['ls-tree', '-r', '-z', '--name-only', commit], {
      timeoutMs: this.limits.timeoutMs,
      onOutput: (part) => {
        for (const byte of part) if (byte === 0) files += 1;
        return files > most
          ? new GitError(
              'too_many_files',
              `The branch has more than ${most} files, which is the most that a source may have.`,
            )
          : null;
      },
    });
    return files;
  }

  /** Bytes that the mirror takes on this machine. */
  bytes(mirror: MirrorId): Promise<number> {
    return packBytes(this.folderOf(mirror));
  }

  private async refsOf(remote: Remote, signal?: AbortSignal): Promise<RemoteRefs> {
    const { timeoutMs } = this.limits;
    const output = await this.git(null, lsRemote(remote), {
      env: remote.env,
      secrets: remote.secrets,
      timeoutMs: Math.min(timeoutMs, 60_000),
      maxBytes: MOST_REFS_BYTES,
      signal,
    });
    return readRefs(output, this.limits);
  }

  /** @throws GitError */
  private async bring(mirror: MirrorId, remote: Remote, wanted: RemoteRefs, signal?: AbortSignal): Promise<void> {
    const folder = this.folderOf(mirror);
    const isNew = !(await exists(folder));
    if (isNew) await this.make(folder);
    try {
      await removeLeftovers(folder);
      const known = isNew ? new Map<string, string>() : await this.knownRefs(folder);
      const changed = [...wanted.refs].filter(([name, { object }]) => known.get(name) !== object).map(([name]) => name);
      const gone = [...known.keys()].filter((name) => !wanted.refs.has(name));
      // Those that are gone first: `a` may have made room for `a/b`.
      if (gone.length > 0)
        await this.git(folder, ['update-ref', '--stdin'], {
          stdin: gone.map((name) => `delete ${name}\n`).join(''),
          timeoutMs: LOOK_MS,
          maxBytes: 65_536,
        });
      if (changed.length === 0) return;
      await this.fetch(
        folder,
        remote,
        changed.map((name) => `+${name}:${name}`),
        signal,
      );
      await this.tidy(folder);
    } catch (error) {
      await removeLeftovers(folder);
      const broken = error instanceof GitError && ['failed', 'too_large'].includes(error.code);
      if (isNew || broken) await rm(folder, { recursive: true, force: true });
      // What was pushed and thrown away again counts no more, and a damaged mirror is made anew, once.
      if (isNew || !broken) throw error;
      await this.bring(mirror, remote, wanted, signal);
    }
  }

  /** Under another name until it is whole. */
  private async make(folder: string): Promise<void> {
    await makeGitFolders(this.folders);
    await mkdir(join(folder, '..'), { recursive: true, mode: 0o700 });
    const fresh = `${folder}.new`;
    await rm(fresh, { recursive: true, force: true });
    await this.git(null, ['init', '--quiet', '--bare', '--template=', '--', fresh], {
      timeoutMs: LOOK_MS,
      maxBytes: 65_536,
    });
    await rename(fresh, folder);
  }

  private async knownRefs(folder: string): Promise<Map<string, string>> {
    const output = await this.git(
      folder,
      ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags'],
      {
        timeoutMs: LOOK_MS,
        maxBytes: MOST_REFS_BYTES,
      },
    );
    return new Map(
      output
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): [string, string] => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
    );
  }

  private async fetch(
    folder: string,
    remote: Remote,
    refspecs: readonly string[],
    signal?: AbortSignal,
  ): Promise<void> {
    const { repositoryBytes: most, timeoutMs } = this.limits;
    const before = await packBytes(folder);
    const tooLarge = new GitError(
      'too_large',
      `The repository is larger than ${most / 1024 ** 2} MiB, which is the most that this installation mirrors (RUNWARD_GIT_REPOSITORY_MIB).`,
    );
    if (before > most) throw tooLarge;
    await this.git(
      folder,
      [
        ...remote.options,
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
        '--no-auto-maintenance',
        '--refmap=',
        '--stdin',
        '--',
        remote.url.text,
      ],
      {
        stdin: refspecs.map((refspec) => `${refspec}\n`).join(''),
        env: remote.env,
        secrets: remote.secrets,
        timeoutMs,
        maxBytes: 65_536,
        // Beyond it by so much that the watch sees it.
        maxFileBytes: most + 65_536,
        signal,
        watch: async () => ((await packBytes(folder)) > most ? tooLarge : null),
      },
    );
  }

  private async tidy(folder: string): Promise<void> {
    if ((await packCount(folder)) <= MOST_PACKS) return;
    await this.git(folder, ['repack', '-a', '-d', '-q'], { timeoutMs: this.limits.timeoutMs, maxBytes: 65_536 }).catch(
      () => undefined,
    );
  }

  /** Older ones look names up themselves, whatever they are told. @throws GitError */
  private demandGit(): Promise<void> {
    this.known ??= this.git(null, ['--version'], { timeoutMs: LOOK_MS, maxBytes: 4_096 }).then((output) => {
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

  private async withRemote<T>(access: RemoteAccess, work: (remote: Remote) => Promise<T>): Promise<T> {
    await this.demandGit();
    const { folders, caFile } = this;
    return withRemote(access, { addresses: await addressesOf(access.url, this.outgoing), folders, caFile }, work);
  }

  /** One at a time: in this process, and among all of this machine that share the folder. */
  private async alone<T>(mirror: MirrorId, work: () => Promise<T>): Promise<T> {
    const folder = this.folderOf(mirror);
    const before = this.turns.get(folder) ?? Promise.resolve();
    const turn = before
      .catch(() => undefined)
      .then(async () => {
        await makeGitFolders(this.folders);
        await mkdir(join(folder, '..'), { recursive: true, mode: 0o700 });
        return underFileLock(`${folder}.lock`, this.limits.timeoutMs + 30_000, work);
      });
    this.turns.set(folder, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(folder) === turn) this.turns.delete(folder);
    }
  }

  /** @param folder null: no repository */
  private git(
    folder: string | null,
    args: readonly string[],
    call: Omit<GitCall, 'args' | 'env'> & { env?: Record<string, string> },
  ): Promise<Buffer> {
    const place = folder === null ? [] : [`--git-dir=${folder}`];
    return runGit({
      ...call,
      args: [...place, ...GIT_CONFIGURATION, ...args],
      env: { ...gitEnvironment(this.folders), ...call.env },
    });
  }
}
