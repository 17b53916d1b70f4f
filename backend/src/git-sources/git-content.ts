import { Injectable } from '@nestjs/common';
import { FairQueue, QueueRefusal } from '../common/fairness/fair-queue.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, Problem } from '../common/errors/problem.js';
import { createStoppedProblem, InstallationWatch } from '../common/installation/installation-state.js';
import { findContentPointer, describePointer } from '../library/content-pointer.js';
import { GitError } from './mirror/git-error.js';
import { MirrorReader } from './mirror/mirror-reader.js';
import { type MirrorId, Mirrors } from './mirror/mirrors.js';
import { GitSourceLookup } from './records/git-source-lookup.js';
import { GitSourceVault, getGitUrl } from './records/git-source-vault.js';
import { MirrorSweep } from './sync/mirror-sweep.js';
import type { GitSource } from './records/git-source.entity.js';

/** Limits, per process, for git work that a request waits for. */
const READ_QUEUE_LIMITS = { running: 4, waitingPerKey: 20, waiting: 200, deadlineMs: 20_000 };
/** Time limit of one piece of git work, in ms, including the fetch of a missing commit. */
const FETCH_TIMEOUT_MS = 45_000;

export interface LocatedCommit {
  source: GitSource;
  commit: string;
}

/** Reads commits from the mirror on this machine. Fetches a commit that the mirror lacks. */
@Injectable()
export class GitContent {
  private readonly queue = new FairQueue(READ_QUEUE_LIMITS);

  constructor(
    private readonly units: UnitOfWork,
    private readonly lookup: GitSourceLookup,
    private readonly vault: GitSourceVault,
    private readonly mirrors: Mirrors,
    private readonly sweep: MirrorSweep,
    private readonly installation: InstallationWatch,
    readonly reader: MirrorReader,
  ) {}

  /**
   * Resolves a ref to a commit as of the latest sync.
   * @param ref null: the branch of the source
   * @throws Problem 404; 409 `git_not_synced`, `git_ref_missing`
   */
  locateCommit(tenantId: string, id: string, ref: string | null): Promise<LocatedCommit> {
    return this.units.run(tenantId, async (tx) => {
      const source = await this.lookup.getVisible(tx, tenantId, id);
      return { source, commit: requireCommit(source, ref, await this.lookup.findCommit(tx, source, ref)) };
    });
  }

  /**
   * Runs `work` with a mirror that has the commit. It waits in a queue, so never call it within a transaction.
   * @throws Problem 409 `git_source_unavailable`, `git_file_too_large`; 429 `too_many_at_once`; 503 `busy`; 503
   *   `installation_held` if this machine lacks the commit
   */
  async withMirror<T>(
    { source, commit }: LocatedCommit,
    work: (mirror: MirrorId, reader: MirrorReader) => Promise<T>,
  ): Promise<T> {
    const { tenantId, id, name } = source;
    try {
      return await this.queue.runInTurn({ key: tenantId, known: true }, async () => {
        const mirror = { tenantId, id, url: getGitUrl(source) };
        this.sweep.sweepIfDue();
        const access = () => this.units.run(tenantId, (tx) => this.vault.openRemoteAccess(tx, source));
        await this.requireFetchAllowed(mirror, commit);
        await this.mirrors.ensureCommit(mirror, commit, access, AbortSignal.timeout(FETCH_TIMEOUT_MS));
        return work(mirror, this.reader);
      });
    } catch (error) {
      if (error instanceof QueueRefusal) throw toQueueRefusedProblem(error);
      if (!(error instanceof GitError)) throw error;
      if (error.code === 'too_large' && error.message.includes('bytes are read'))
        throw conflict('git_file_too_large', `"${name}": ${error.message}`);
      const errorText =
        error.code === 'stopped'
          ? `Fetching it took more than ${FETCH_TIMEOUT_MS / 1000} seconds. Try again.`
          : error.message;
      throw conflict('git_source_unavailable', `"${name}" at commit ${commit}: ${errorText}`);
    }
  }

  isCommitStored({ source, commit }: LocatedCommit): Promise<boolean> {
    return this.mirrors.hasCommit({ tenantId: source.tenantId, id: source.id, url: getGitUrl(source) }, commit);
  }

  /** A held installation does not connect to remotes. @throws Problem 503 `installation_held` */
  private async requireFetchAllowed(mirror: MirrorId, commit: string): Promise<void> {
    const { current } = this.installation;
    if (current.state === 'held' && !(await this.mirrors.hasCommit(mirror, commit)))
      throw createStoppedProblem(current);
  }
}

/** @throws Problem 409 `git_not_synced`, `git_ref_missing` */
export function requireCommit({ name, state, error }: GitSource, ref: string | null, commit: string | null): string {
  if (commit !== null) return commit;
  const why = state === 'new' ? '' : ` The latest sync failed: ${error ?? 'no reason was reported'}`;
  if (ref === null) throw conflict('git_not_synced', `The git source "${name}" has no content yet: sync it.${why}`);
  throw conflict('git_ref_missing', `The git source "${name}" has no branch or tag "${ref}".${why}`);
}

/** @throws Problem 409 `git_content_missing` if the content is only a pointer to the file's real content */
export function requireNoContentPointer(content: Buffer, name: string): void {
  const pointer = findContentPointer(content);
  if (pointer) throw conflict('git_content_missing', describePointer(name, pointer));
}

const toQueueRefusedProblem = ({ reason }: QueueRefusal): Problem =>
  new Problem(
    reason === 'key' ? 'too_many_at_once' : 'busy',
    'Too many reads of git sources are in progress. Try again shortly.',
    { headers: { 'Retry-After': '5' } },
  );
