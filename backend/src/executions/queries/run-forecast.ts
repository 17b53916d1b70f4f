import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql } from '../../common/database/sql.js';
import { EnvironmentReader, type EnvironmentRights } from '../../environments/environment.reader.js';
import { computeWindowState } from '../../environments/windows/run-windows.js';
import { RunPlanReader } from '../../plans/records/run-plan.reader.js';
import type { Author } from '../approval/authors/author-kinds.js';
import { toAuthorViews } from '../approval/authors/author-views.js';
import { hashAuthors, findOutsideAuthors } from '../approval/authors/outside-authors.js';
import { RunAuthors } from '../approval/authors/run-authors.js';
import type {
  ApprovalForecastView,
  AuthorsForecastView,
  ForecastView,
  WindowForecastView,
} from '../contract/forecast.view.js';
import { listRunGuardKeys } from '../lifecycle/overlap.js';
import { type ExecutionRow, listPlanIds, type Snapshot } from '../record/execution-row.js';
import { OverlapReport } from './overlap-report.js';

const MAX_NAMED_APPROVERS = 20;
const MAX_LISTED_AUTHORS = 100;

type Row = ExecutionRow & { snapshot: Snapshot };

/**
 * Predicts what a real run with the content of a dry run would need or encounter: approval, conflicts, freezes, run
 * windows.
 */
@Injectable()
export class RunForecast {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly overlaps: OverlapReport,
    private readonly plans: RunPlanReader,
    private readonly authors: RunAuthors,
  ) {}

  /** Null: not a dry run. */
  async loadForecast(tx: EntityManager, caller: Principal, row: Row): Promise<ForecastView | null> {
    if (row.execution_mode !== 'dry_run') return null;
    const hosts = await rows(
      tx,
      sql<{
        hostname: string;
        port: number;
      }>`select hostname, port from execution_hosts where execution_id = ${row.id}`,
    );
    const { parallelSafe, locks } = row.snapshot.plan;
    const called = row.snapshot.calledPlans;
    const keys = listRunGuardKeys({
      ...{ planId: row.plan_id, environmentId: row.environment_id, hosts, parallelSafe, called, locks },
    });
    const environmentRights = await this.environments.readRights(tx, caller.tenantId, row.environment_id, []);
    const approvalRequired = environmentRights?.protected ?? false;
    const holders = await this.overlaps.findHolders(tx, caller, keys);
    const window = toWindowForecast(environmentRights);
    const freeze = await this.plans.freeze(tx, caller.tenantId, listPlanIds(row));
    const written = environmentRights ? await this.findContentAuthors(tx, row, environmentRights) : null;
    const authors = written && (await this.forecastAuthors(tx, row, environmentRights, written));
    return {
      obstacles: [
        ...(approvalRequired ? (['approval'] as const) : []),
        ...(holders.conflicts.length + holders.hiddenConflicts > 0 ? (['conflict'] as const) : []),
        ...(freeze ? (['frozen'] as const) : []),
        ...(window ? (['window'] as const) : []),
        ...(authors?.acceptAuthors ? (['author_not_allowed'] as const) : []),
        ...(authors?.refused ? (['unknown_authors'] as const) : []),
      ],
      approvalRequired,
      approval: approvalRequired ? await this.forecastApproval(tx, caller, row, written ?? []) : null,
      authors,
      freeze: freeze && {
        collectionName: freeze.collectionName,
        reason: freeze.reason,
        until: freeze.until.toISOString(),
      },
      window,
      ...holders,
    };
  }

  /**
   * Returns the authors of content that is new in the environment; null: the environment does not need to know them.
   */
  private async findContentAuthors(
    tx: EntityManager,
    row: Row,
    { protected: approved, access, unknownAuthors }: EnvironmentRights,
  ): Promise<Author[] | null> {
    if (!approved && access === 'open' && unknownAuthors === 'show') return null;
    const use = {
      ...{ tenantId: row.tenant_id, executionId: row.id, environmentId: row.environment_id, snapshot: row.snapshot },
      ...{ planId: row.plan_id, planName: row.plan_name, planRevision: row.plan_revision },
    };
    const before = await this.authors.findBaseline(tx, use, approved);
    const commits = await loadCommitAuthors(tx, row.id);
    const place = approved ? await this.authors.findConnectionAuthors(tx, use, before) : [];
    return [...(await this.authors.findContentAuthors(tx, use, before)), ...commits, ...place];
  }

  private async forecastAuthors(
    tx: EntityManager,
    { tenant_id, environment_id }: Row,
    rights: EnvironmentRights | null,
    written: readonly Author[],
  ): Promise<AuthorsForecastView> {
    const outside = await findOutsideAuthors(tx, this.environments, tenant_id, environment_id, written);
    const closed = rights?.access === 'restricted' && !rights.protected;
    const items = await toAuthorViews(
      tx,
      tenant_id,
      written.slice(0, MAX_LISTED_AUTHORS).map((author) => ({ ...author, outside: outside.has(author) })),
    );
    return {
      items,
      acceptAuthors: closed && outside.size > 0 ? hashAuthors([...outside]) : null,
      refused: rights?.unknownAuthors === 'refuse' && written.some(({ userId }) => userId === null),
    };
  }

  /**
   * Excludes members who could not approve a real run: the caller, holders of the caller's credential, and authors of
   * content that is new in the environment.
   */
  private async forecastApproval(
    tx: EntityManager,
    caller: Principal,
    row: Row,
    written: readonly Author[],
  ): Promise<ApprovalForecastView> {
    const { tenantId } = caller;
    const policy = await this.environments.readApprovalPolicy(tx, tenantId, row.environment_id);
    const members = await this.environments.listApprovers(tx, tenantId, row.environment_id);
    const left = new Set(
      policy.allowSelfApproval
        ? []
        : [caller.userId, ...caller.heldBy, ...written.flatMap(({ userId }) => userId ?? [])],
    );
    const approvers = members.filter(({ id }) => !left.has(id));
    return {
      requiredApprovals: policy.requiredApprovals,
      approvers:
        caller.role === 'viewer' ? [] : approvers.slice(0, MAX_NAMED_APPROVERS).map(({ id, name }) => ({ id, name })),
      approverCount: approvers.length,
    };
  }
}

function toWindowForecast(rights: EnvironmentRights | null): WindowForecastView | null {
  if (!rights?.runWindows) return null;
  const state = computeWindowState(rights.runWindows, rights.now);
  if (state.open) return null;
  const { timeZone } = rights.runWindows;
  return { timeZone, opensAt: state.opensAt?.toISOString() ?? null, blackout: state.blackout };
}

async function loadCommitAuthors(tx: EntityManager, executionId: string): Promise<Author[]> {
  const run = await row(
    tx,
    sql<{ commit_authors: Author[] | null }>`select commit_authors from executions where id = ${executionId}`,
  );
  return run?.commit_authors ?? [];
}
