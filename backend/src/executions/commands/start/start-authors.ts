import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../common/access/principal.js';
import { conflict } from '../../../common/errors/problem.js';
import { EnvironmentReader } from '../../../environments/environment.reader.js';
import { GitSourceReader } from '../../../git-sources/git-source.reader.js';
import type { PathCommits } from '../../../git-sources/mirror/path-commits.js';
import type { Author } from '../../approval/authors/author-kinds.js';
import { describeAuthors, toAuthorViews } from '../../approval/authors/author-views.js';
import type { ApprovedBaseline } from '../../approval/authors/baseline.js';
import { findCommitAuthors, type CommitRange, listCommitRanges } from '../../approval/authors/commit-authors.js';
import { hashAuthors, findOutsideAuthors } from '../../approval/authors/outside-authors.js';
import { RunAuthors, type RunContentUse } from '../../approval/authors/run-authors.js';
import type { CheckedRenderings } from './check-rendering.js';
import type { PreparedRun } from './prepare-run.js';

export interface AuthorsRequest {
  dry: boolean;
  /** `acceptAuthors` of the request; null: nothing is accepted. */
  accept: string | null;
  /** Time when the owner of the starting schedule saved it; null: not started by a schedule. */
  vouchedAt: Date | null;
}

export interface StartedAuthors {
  /** Authors of git commits; null: not read. */
  commits: Author[] | null;
  accepted: Author[];
}

/**
 * Finds the authors of a start's content. In a restricted, unprotected environment, a person must confirm content by
 * members who may not run there. In a protected environment the approvers see it.
 */
@Injectable()
export class StartAuthors {
  constructor(
    private readonly authors: RunAuthors,
    private readonly environments: EnvironmentReader,
    private readonly git: GitSourceReader,
  ) {}

  /** @throws ContentsNotReadError for commits that were not read; Problem 409 `author_not_allowed`, `unknown_authors` */
  async requireAuthors(
    tx: EntityManager,
    caller: Principal,
    run: PreparedRun,
    request: AuthorsRequest,
    checked: CheckedRenderings,
  ): Promise<StartedAuthors> {
    const { environment } = run;
    const closed = environment.access === 'restricted' && !environment.protected;
    if (!closed && !environment.protected && environment.unknownAuthors === 'show')
      return { commits: null, accepted: [] };
    const { tenantId } = caller;
    const use: RunContentUse = {
      ...{ tenantId, executionId: null, environmentId: environment.id, snapshot: run.snapshot },
      ...{ planId: run.planId, planName: run.planName, planRevision: run.planRevision },
    };
    const before = await this.authors.findBaseline(tx, use, environment.protected);
    const commits = await this.findUnapprovedCommitAuthors(tx, use, before, checked);
    const unknown = commits.filter(({ userId }) => userId === null);
    if (environment.unknownAuthors === 'refuse' && unknown.length > 0 && !request.dry)
      await this.rejectUnknownAuthors(tx, tenantId, environment.name, unknown);
    if (!closed || request.dry) return { commits, accepted: [] };
    const written =
      request.vouchedAt === null
        ? await this.authors.findContentAuthors(tx, use, before)
        : await this.authors.findGitSourceAuthors(tx, use, laterDate(before?.createdAt ?? null, request.vouchedAt));
    const all = [...written, ...commits];
    const outside = [...(await findOutsideAuthors(tx, this.environments, tenantId, environment.id, all))];
    if (outside.length > 0) await this.requireAcceptedAuthors(tx, caller, environment.name, outside, request);
    return { commits, accepted: outside };
  }

  private async findUnapprovedCommitAuthors(
    tx: EntityManager,
    use: RunContentUse,
    before: ApprovedBaseline | null,
    checked: CheckedRenderings,
  ): Promise<Author[]> {
    const used = await this.authors.listUsedFiles(tx, use);
    if (used.length === 0) return [];
    const ranges = listCommitRanges(used, await this.authors.listBaselineFiles(tx, use.tenantId, before));
    const ids = ranges.map(({ gitSourceId }) => gitSourceId);
    const sources = await this.git.findByIds(tx, use.tenantId, ids);
    const read = checked.commits.requireCommitsRead(ranges, (range) => this.readCommits(sources, range));
    return findCommitAuthors(tx, use.tenantId, read);
  }

  private readCommits(
    sources: Awaited<ReturnType<GitSourceReader['findByIds']>>,
    range: CommitRange,
  ): Promise<PathCommits> {
    const source = sources.get(range.gitSourceId);
    if (!source) return Promise.resolve({ commits: [], fault: 'unavailable' });
    return this.git.listPathCommits({ source, commit: range.commit }, range);
  }

  private async rejectUnknownAuthors(
    tx: EntityManager,
    tenantId: string,
    environment: string,
    unknown: readonly Author[],
  ): Promise<never> {
    const authors = await toAuthorViews(tx, tenantId, unknown);
    throw conflict(
      'unknown_authors',
      `"${environment}" refuses git content of unknown authors: ${describeAuthors(authors)}. Nothing was started.`,
      { authors },
    );
  }

  /** @throws Problem 409 `author_not_allowed` */
  private async requireAcceptedAuthors(
    tx: EntityManager,
    caller: Principal,
    environment: string,
    outside: readonly Author[],
    { accept, vouchedAt }: AuthorsRequest,
  ): Promise<void> {
    const person = vouchedAt === null && caller.limits?.machine !== true;
    const acceptAuthors = hashAuthors(outside);
    if (person && accept === acceptAuthors) return;
    const authors = await toAuthorViews(
      tx,
      caller.tenantId,
      outside.map((author) => ({ ...author, outside: true })),
    );
    const who = `${describeAuthors(authors)} may not run in "${environment}", and their content has not run there yet.`;
    const changed = accept === null ? '' : ' It differs from the accepted content.';
    const advice = person
      ? `Review it, then start with acceptAuthors: "${acceptAuthors}".`
      : 'A person who may run there must review it and start the plan once.';
    throw conflict('author_not_allowed', `${who}${changed} ${advice}`, {
      authors,
      ...(person ? { acceptAuthors } : {}),
    });
  }
}

const laterDate = (one: Date | null, other: Date): Date => (one !== null && one > other ? one : other);
