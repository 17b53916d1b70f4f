import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, invalidRequest } from '../common/errors/problem.js';
import { encodeCursor, readCursor } from '../common/http/paging/cursor.js';
import { DEFAULT_PAGE_LIMIT } from '../common/http/paging/page.js';
import { requireNoContentPointer, GitContent } from './git-content.js';
import type { GitCommitsQuery, GitFileQuery, GitTreeQuery } from './git-sources.dto.js';
import type { GitCommitListView, GitFileView, GitTreeView } from './git-sources.view.js';
import { isHiddenPlanFile, PLAN_FOLDERS, type PlanFileLimits, type PlanFolders } from './records/plan-folders.js';
import { isCommitId, isRefName, findRepositoryPathFault } from './urls/git-names.js';

/** Maximum size of a file that the API returns, in bytes. */
export const MAX_FILE_BYTES = 1_048_576;
/** Maximum number of commits over all pages. */
const MAX_COMMITS = 10_000;

@Injectable()
export class GitBrowser {
  constructor(
    private readonly units: UnitOfWork,
    private readonly content: GitContent,
    @Inject(PLAN_FOLDERS) private readonly folders: PlanFolders,
  ) {}

  /** @throws Problem 400; 404; 409 as `GitContent`, `git_path_missing`, `git_not_a_folder` */
  async readTree(
    caller: Principal,
    id: string,
    { path = '', ref, cursor, limit = DEFAULT_PAGE_LIMIT }: GitTreeQuery,
  ): Promise<GitTreeView> {
    requireValidNames({ path: path === '' ? undefined : path, ref });
    const cursorValues = readCursor(cursor, ['text', 'text']);
    const at = await this.content.locateCommit(
      caller.tenantId,
      id,
      parseCommitCursor(cursorValues?.[0]) ?? ref ?? null,
    );
    const limits = await this.getPlanFileLimits(caller, id);
    if (isHiddenPlanFile(limits, path)) throw pathMissingProblem(path);
    const found = await this.content.withMirror(at, (mirror, reader) => reader.readFolder(mirror, at.commit, path));
    if (found === 'missing') throw pathMissingProblem(path);
    if (found === 'other') throw conflict('git_not_a_folder', `${path} is not a folder.`);
    const visible = found.entries
      .map(({ name, type, size }) => ({ name, path: path === '' ? name : `${path}/${name}`, type, size }))
      .filter((entry) => !isHiddenPlanFile(limits, entry.path));
    const rest = cursorValues ? visible.filter(({ name }) => name > cursorValues[1]) : visible;
    const items = rest.slice(0, limit);
    const last = items.at(-1);
    const nextCursor = last && rest.length > limit ? encodeCursor([at.commit, last.name]) : null;
    return { commit: at.commit, path, items, leftOut: found.leftOut, nextCursor };
  }

  /** @throws Problem 400; 404; 409 as `GitContent`, `git_path_missing`, `git_not_a_file`, `git_content_missing` */
  async readFile(caller: Principal, id: string, { path, ref }: GitFileQuery): Promise<GitFileView> {
    requireValidNames({ path, ref });
    const at = await this.content.locateCommit(caller.tenantId, id, ref ?? null);
    if (isHiddenPlanFile(await this.getPlanFileLimits(caller, id), path)) throw pathMissingProblem(path);
    const found = await this.content.withMirror(at, (mirror, reader) =>
      reader.readBlobAt(mirror, at.commit, path, MAX_FILE_BYTES),
    );
    if (found === 'missing') throw pathMissingProblem(path);
    if (found === 'other') throw conflict('git_not_a_file', `${path} is a folder, a symbolic link or a submodule.`);
    const { content, executable } = found;
    requireNoContentPointer(content, path);
    const text = isUtf8(content) && !content.includes(0);
    return {
      commit: at.commit,
      path,
      size: content.length,
      executable,
      sha256: createHash('sha256').update(content).digest('hex'),
      encoding: text ? 'utf-8' : 'base64',
      content: content.toString(text ? 'utf8' : 'base64'),
    };
  }

  /** @throws Problem 400; 404; 409 as `GitContent` */
  async listCommits(
    caller: Principal,
    id: string,
    { path, ref, cursor, limit = DEFAULT_PAGE_LIMIT }: GitCommitsQuery,
  ): Promise<GitCommitListView> {
    requireValidNames({ path, ref });
    const cursorValues = readCursor(cursor, ['text', 'ordinal']);
    const at = await this.content.locateCommit(
      caller.tenantId,
      id,
      parseCommitCursor(cursorValues?.[0]) ?? ref ?? null,
    );
    const limits = await this.getPlanFileLimits(caller, id);
    if (path !== undefined && isHiddenPlanFile(limits, path)) return { items: [], nextCursor: null };
    // No folder is excluded when the caller can see the plan file: its history is then complete.
    const planFolders = limits === null || (path !== undefined && limits.visiblePaths.has(path)) ? [] : limits.folders;
    const skip = Math.min(cursorValues?.[1] ?? 0, MAX_COMMITS);
    const found = await this.content.withMirror(at, (mirror, reader) =>
      reader.listCommitsOf(mirror, at.commit, path ?? null, { skip, limit: limit + 1, planFolders }),
    );
    const items = found.slice(0, limit);
    const more = found.length > limit && skip + limit < MAX_COMMITS;
    return { items, nextCursor: more ? encodeCursor([at.commit, skip + limit]) : null };
  }

  private getPlanFileLimits(caller: Principal, id: string): Promise<PlanFileLimits | null> {
    return this.units.run(caller.tenantId, (tx) => this.folders.limits(tx, caller, id));
  }
}

/** Returns the commit of the first page, because later pages read the same commit. @throws Problem 400 */
function parseCommitCursor(commit: string | undefined): string | undefined {
  if (commit === undefined || isCommitId(commit)) return commit;
  const message = 'cursor must be nextCursor of the previous answer, unchanged and with the same sort.';
  throw invalidRequest([{ path: '?cursor', code: 'invalid_cursor', message }]);
}

/** @throws Problem 400 */
function requireValidNames({ path, ref }: { path?: string; ref?: string }): void {
  const fault = path === undefined ? null : findRepositoryPathFault(path);
  if (fault !== null) throw invalidRequest([{ path: '?path', code: 'invalid_path', message: fault }]);
  if (ref === undefined || isCommitId(ref) || isRefName(ref)) return;
  const message = 'Send the name of a branch or tag, or a full commit ID.';
  throw invalidRequest([{ path: '?ref', code: 'invalid_ref', message }]);
}

const pathMissingProblem = (path: string) =>
  conflict('git_path_missing', `The repository has nothing at ${path} in this commit.`);
