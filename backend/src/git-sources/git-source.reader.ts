import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict, invalidRequest, notFound, Problem } from '../common/errors/problem.js';
import type { ContentSource, FrozenSource } from '../library/library-kind.js';
import { requireCommit, requireNoContentPointer, GitContent, type LocatedCommit } from './git-content.js';
import type { MirrorReader } from './mirror/mirror-reader.js';
import type { MirrorId } from './mirror/mirrors.js';
import type { PathCommits, PathRange } from './mirror/path-commits.js';
import type { GitSource } from './records/git-source.entity.js';
import { GitSourceLookup } from './records/git-source-lookup.js';
import { isHiddenPlanFile, isPlanFile, PLAN_FOLDERS, type PlanFolders } from './records/plan-folders.js';
import { findSourceNameFaults } from './urls/git-names.js';

export interface NamedGitFile {
  gitSourceId: string;
  file: string;
  /** JSON pointers of both fields in the request body. */
  at: { gitSourceId: string; file: string };
}

/** File of a source at its current commit. */
export interface LocatedGitFile extends ContentSource {
  at: LocatedCommit;
}

export const toGitFileKey = ({ at: { source, commit }, path }: LocatedGitFile): string =>
  `${source.id} ${commit} ${path}`;

export interface GitFileContent {
  bytes: Buffer;
  frozen: FrozenSource;
}

@Injectable()
export class GitSourceReader {
  constructor(
    private readonly lookup: GitSourceLookup,
    private readonly content: GitContent,
    @Inject(PLAN_FOLDERS) private readonly folders: PlanFolders,
  ) {}

  /**
   * Validates a reference to content. The source cannot be deleted until the transaction ends. Afterwards the stored
   * reference prevents the deletion.
   * @param path JSON pointer of the reference in the request body
   * @throws Problem 400; 404
   */
  async requireVisibleSource(tx: EntityManager, caller: Principal, source: ContentSource, path: string): Promise<void> {
    const faults = findSourceNameFaults(source, path);
    if (faults.length > 0) throw invalidRequest(faults);
    const at = { gitSourceId: `${path}/gitSourceId`, file: `${path}/path` };
    await this.requireKnownFiles(tx, caller, [{ gitSourceId: source.gitSourceId, file: source.path, at }]);
  }

  findByNameOrId(
    tx: EntityManager,
    tenantId: string,
    namesOrIds: readonly string[],
  ): Promise<{ id: string; name: string }[]> {
    return this.lookup.named(tx, tenantId, namesOrIds);
  }

  /**
   * Locks the sources against deletion until the transaction ends. @throws Problem 404 with the JSON pointer of the
   * first unknown source
   */
  async requireKnownFiles(tx: EntityManager, caller: Principal, named: readonly NamedGitFile[]): Promise<void> {
    const ids = named.map(({ gitSourceId }) => gitSourceId);
    const known = await this.lookup.lockForUse(tx, caller.tenantId, ids);
    const unknown = named.find(({ gitSourceId }) => !known.has(gitSourceId.toLowerCase()));
    if (unknown) throw notFound(unknown.at.gitSourceId);
    const planFiles = named.filter(({ file }) => isPlanFile(file));
    for (const id of new Set(planFiles.map(({ gitSourceId }) => gitSourceId))) {
      const limits = await this.folders.limits(tx, caller, id);
      const hidden = planFiles.find(({ gitSourceId, file }) => gitSourceId === id && isHiddenPlanFile(limits, file));
      if (hidden) throw notFound(hidden.at.file);
    }
  }

  /**
   * Resolves references to commits as of the latest syncs.
   * @throws Problem 409 `library_missing`, `git_not_synced`, `git_ref_missing`
   */
  async locateFiles(
    tx: EntityManager,
    tenantId: string,
    references: readonly ContentSource[],
  ): Promise<LocatedGitFile[]> {
    const ids = references.map(({ gitSourceId }) => gitSourceId);
    const known = await this.lookup.lockForUse(tx, tenantId, ids);
    const locatedContents: LocatedGitFile[] = [];
    for (const each of references) {
      const source = known.get(each.gitSourceId);
      if (!source)
        throw conflict('library_missing', `The git source of ${each.path} no longer exists. Choose another one.`);
      const commit = requireCommit(source, each.ref, await this.lookup.findCommit(tx, source, each.ref));
      locatedContents.push({ ...each, at: { source, commit } });
    }
    return locatedContents;
  }

  /**
   * Reads a file. It waits in a queue, and for the remote if this machine lacks the commit, so never call it within a
   * transaction.
   * @throws Problem 409 as `GitContent.with`, `git_path_missing`, `git_not_a_file`, `git_content_missing`
   */
  async readFile({ at, gitSourceId, path, ref }: LocatedGitFile, maxBytes: number): Promise<GitFileContent> {
    const found = await this.content.withMirror(at, (mirror, reader) =>
      reader.readBlobAt(mirror, at.commit, path, maxBytes),
    );
    const { name } = at.source;
    if (found === 'missing')
      throw conflict('git_path_missing', `"${name}" has nothing at ${path} in its commit ${at.commit}.`);
    if (found === 'other')
      throw conflict('git_not_a_file', `${path} of "${name}" is a folder, a symbolic link or a submodule.`);
    requireNoContentPointer(found.content, `${path} of "${name}"`);
    const sha256 = createHash('sha256').update(found.content).digest('hex');
    return { bytes: found.content, frozen: { gitSourceId, path, ref, sourceName: name, commit: at.commit, sha256 } };
  }

  /** Returns the text of a file, without a fetch; null: this machine lacks the commit. @throws as `text` */
  async readStoredText(locatedContents: LocatedGitFile, maxBytes: number): Promise<string | null> {
    return (await this.content.isCommitStored(locatedContents.at)) ? this.readText(locatedContents, maxBytes) : null;
  }

  /** Returns the current commit with its source; null: the source was deleted or never synced. */
  async findCurrentCommit(tx: EntityManager, tenantId: string, id: string): Promise<LocatedCommit | null> {
    const source = (await this.lookup.lockForUse(tx, tenantId, [id])).get(id);
    return source?.commit ? { source, commit: source.commit } : null;
  }

  /**
   * Runs several reads of one commit. It waits in a queue, and for the remote if this machine lacks the commit, so
   * never call it within a transaction.
   * @throws Problem 409 as `GitContent.with`
   */
  withMirrorAt<T>(at: LocatedCommit, work: (mirror: MirrorId, reader: MirrorReader) => Promise<T>): Promise<T> {
    return this.content.withMirror(at, work);
  }

  findByIds(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Map<string, GitSource>> {
    return this.lookup.lockForUse(tx, tenantId, ids);
  }

  /**
   * Reads the commits that changed the files. Like `read`, it waits, so never call it within a transaction. If the
   * source is unreadable, the result has a fault.
   * @throws Problem 429 `too_many_at_once`; 503 `busy`
   */
  async listPathCommits(at: LocatedCommit, range: PathRange): Promise<PathCommits> {
    try {
      return await this.content.withMirror(at, (mirror, reader) => reader.readCommitsOfPaths(mirror, range));
    } catch (error) {
      if (error instanceof Problem && error.status === 409) return { commits: [], fault: 'unavailable' };
      throw error;
    }
  }

  /** @throws Problem 404 */
  async requireVisible(tx: EntityManager, caller: Principal, id: string): Promise<void> {
    await this.lookup.getVisible(tx, caller.tenantId, id);
  }

  /** Reads the text of a file. @throws Problem as `read`; 409 `git_not_text` */
  async readText(locatedContents: LocatedGitFile, maxBytes: number): Promise<string> {
    return decodeGitFile(await this.readFile(locatedContents, maxBytes));
  }
}

/** @throws Problem 409 `git_not_text` */
export function decodeGitFile({ bytes, frozen: { sourceName, path } }: GitFileContent): string {
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString('utf8');
  throw conflict('git_not_text', `${path} of "${sourceName}" is not UTF-8 text, or contains NUL.`);
}
