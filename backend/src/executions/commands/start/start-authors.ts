import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../../common/access/principal.js';
import { conflict } from '../../../common/errors/problem.js';
import { EnvironmentReader } from '../../../environments/environment.reader.js';
import { GitSourceReader } from '../../../git-sources/git-source.reader.js';
import type { PathCommits } from '../../../git-sources/mirror/path-commits.js';
import type { Author } from '../../approval/authors/author-kinds.js';
import { authorsText, authorViews } from '../../approval/authors/author-views.js';
import type { Baseline } from '../../approval/authors/baseline.js';
import { commitAuthors, type CommitRange, commitRanges } from '../../approval/authors/commit-authors.js';
import { authorsDigest, findOutsideAuthors } from '../../approval/authors/outside-authors.js';
import { RunAuthors, type RunUse } from '../../approval/authors/run-authors.js';
import type { CheckedRenderings } from './checked-renderings.js';
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

  /** @throws NotRead for commits that were not read; Problem 409 `author_not_allowed`, `unknown_authors` */
  async of(
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
    const use: RunUse = {
      ...{ tenantId, executionId: null, environmentId: environment.id, snapshot: run.snapshot },
      ...{ planId: run.planId, planName: run.planName, planRevision: run.planRevision },
    };
    const before = await this.authors.baseline(tx, use, environment.protected);
    const commits = await this.commits(tx, use, before, checked);
    const unknown = commits.filter(({ userId }) => userId === null);
    if (environment.unknownAuthors === 'refuse' && unknown.length > 0 && !request.dry)
      await this.refuseUnknown(tx, tenantId, environment.name, unknown);
    if (!closed || request.dry) return { commits, accepted: [] };
    const written =
      request.vouchedAt === null
        ? await this.authors.ofContent(tx, use, before)
        : await this.authors.ofSources(tx, use, later(before?.createdAt ?? null, request.vouchedAt));
    const all = [...written, ...commits];
    const outside = [...(await findOutsideAuthors(tx, this.environments, tenantId, environment.id, all))];
    if (outside.length > 0) await this.requireAcceptedAuthors(tx, caller, environment.name, outside, request);
    return { commits, accepted: outside };
  }

  private async commits(
    tx: EntityManager,
    use: RunUse,
    before: Baseline | null,
    checked: CheckedRenderings,
  ): Promise<Author[]> {
    const used = await this.authors.files(tx, use);
    if (used.length === 0) return [];
    const ranges = commitRanges(used, await this.authors.filesBefore(tx, use.tenantId, before));
    const ids = ranges.map(({ gitSourceId }) => gitSourceId);
    const sources = await this.git.known(tx, use.tenantId, ids);
    const read = checked.commits.requireRead(ranges, (range) => this.read(sources, range));
    return commitAuthors(tx, use.tenantId, read);
  }

  private read(sources: Awaited<ReturnType<GitSourceReader['known']>>, range: CommitRange): Promise<PathCommits> {
    const source = sources.get(range.gitSourceId);
    if (!source) return Promise.resolve({ commits: [], fault: 'unavailable' });
    return this.git.pathCommits({ source, commit: range.commit }, range);
  }

  private async refuseUnknown(
    tx: EntityManager,
    tenantId: string,
    environment: string,
    unknown: readonly Author[],
  ): Promise<never> {
    const authors = await authorViews(tx, tenantId, unknown);
    throw conflict(
      'unknown_authors',
      `"${environment}" refuses git content of unknown authors: ${authorsText(authors)}. Nothing was started.`,
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
    const acceptAuthors = authorsDigest(outside);
    if (person && accept === acceptAuthors) return;
    const authors = await authorViews(
      tx,
      caller.tenantId,
      outside.map((author) => ({ ...author, outside: true })),
    );
    const who = `${authorsText(authors)} may not run in "${environment}", and their content has not run there yet.`;
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

const later = (one: Date | null, other: Date): Date => (one !== null && one > other ? one : other);
