import { hadOverrideSql } from '../../environments/protection/protection-change-rows.js';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql, type Sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { invalidRequest, notFound } from '../../common/errors/problem.js';
import { readCursor } from '../../common/http/paging/cursor.js';
import { requireOrderedRange } from '../../common/http/paging/filters.js';
import type { Page } from '../../common/http/paging/page.js';
import { isId } from '../../common/ids.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { awaitsCallerSql, isRunVisibleToSql } from './visible-run.js';
import type { ExecutionSummaryView, ExecutionView } from '../contract/execution.view.js';
import { EXECUTION_COLUMNS_SQL, type ExecutionRow, readSnapshot } from '../record/execution-row.js';
import { listRuns, createNewestRunsStatement } from './list-runs.js';
import type { ListExecutionsQuery } from './run-filters.dto.js';
import { OverlapReport } from './overlap-report.js';
import { RunForecast } from './run-forecast.js';
import {
  needsFullSummary,
  toShortSummary,
  type RunFacts,
  loadRunSummary,
  type HostsWithoutCommands,
  toRunWarnings,
  HOSTS_WITHOUT_COMMANDS_SQL,
  type HostRow,
  HOSTS_PER_PAGE,
  type FullRunRowForCaller,
  type StepRow,
  toExecutionSummary,
  toExecutionView,
  selectWorkingHostsSql,
} from './to-execution-view.js';
import { RunDetailReader } from './run-detail.reader.js';

/** Condition: `e` is the run, and the caller can see it. */
const isVisibleRunSql = (id: string, caller: Principal): Sql =>
  sql`e.tenant_id = ${caller.tenantId} and e.id = ${id} and ${isRunVisibleToSql(sql.raw('e'), caller)}`;

type StepJson = Omit<StepRow, 'started_at' | 'finished_at'> & { started_at: string | null; finished_at: string | null };

type FullRunRow = FullRunRowForCaller & {
  steps: StepJson[] | null;
  hosts: HostRow[] | null;
  has_approval: boolean;
  has_unknown: boolean;
  without_commands: HostsWithoutCommands | null;
  has_override: boolean;
};

type RunDetails = Pick<
  ExecutionView,
  'queue' | 'approval' | 'protectionOverride' | 'forecast' | 'summary' | 'unknownHosts'
>;

const NO_DETAILS: Omit<RunDetails, 'summary'> = {
  queue: null,
  approval: null,
  protectionOverride: null,
  forecast: null,
  unknownHosts: [],
};

/** Reads a run with its steps and one page of its hosts, in one statement. */
const selectFullRunSql = (
  caller: Principal,
  id: string,
  afterOrdinal: number,
): Sql<FullRunRow> => sql.prepared<FullRunRow>`
  select ${EXECUTION_COLUMNS_SQL}, e.snapshot, e.digest, ${awaitsCallerSql(sql.raw('e'), caller)} as awaits_caller,
    exists (select 1 from approvals a where a.execution_id = e.id) as has_approval,
    ${hadOverrideSql(sql.raw('e'))} as has_override,
    (e.finished_at is not null or e.status = 'PAUSED') and exists (select 1 from host_results r
      where r.execution_id = e.id and r.status = 'UNKNOWN' and r.resolution is null) as has_unknown,
    ${HOSTS_WITHOUT_COMMANDS_SQL} as without_commands,
    (select json_agg(json_build_object('step_index', s.step_index, 'key', s.key, 'name', s.name, 'type', s.type, 'status', s.status,
        'reason', s.reason, 'reason_code', s.reason_code, 'started_at', s.started_at, 'finished_at', s.finished_at,
        'counts', s.counts) order by s.step_index)
      from execution_steps s where s.execution_id = e.id) as steps,
    (select json_agg(h order by h.ordinal) from (
        select h.server_id, h.ordinal, h.name, h.hostname, h.port, h.tags, coalesce(w.status, h.status) as status, h.last_step_key
          from execution_hosts h left join ${selectWorkingHostsSql(sql`e.id`)} w on w.server_id = h.server_id
          where h.execution_id = e.id and h.ordinal > ${afterOrdinal} order by h.ordinal limit ${sql.raw(`${HOSTS_PER_PAGE + 1}`)}) h) as hosts
  from executions e where ${isVisibleRunSql(id, caller)}`;

const parseStepJson = ({ started_at, finished_at, ...step }: StepJson): StepRow => ({
  ...step,
  started_at: started_at === null ? null : new Date(started_at),
  finished_at: finished_at === null ? null : new Date(finished_at),
});

/**
 * Reads runs for the dashboard and CI. The SQL is hand-written, because these are the most frequent reads of the API.
 */
@Injectable()
export class ExecutionsReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly details: RunDetailReader,
    private readonly forecasts: RunForecast,
    private readonly overlaps: OverlapReport,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  private get publicUrl(): string {
    return this.runtime.settings.publicUrl;
  }

  async list(caller: Principal, query: ListExecutionsQuery): Promise<Page<ExecutionSummaryView>> {
    requireOrderedRange(query);
    const newest = createNewestRunsStatement(caller, query, this.publicUrl);
    if (newest) return newest.pageOf(await this.runPlannedOnce(caller, newest.statement));
    return this.units.read(caller.tenantId, (tx) => listRuns(tx, caller, query, this.publicUrl));
  }

  private runPlannedOnce<Row>({ tenantId }: Principal, statement: Sql<Row>): Promise<Row[]> {
    return this.units.queryOnce(tenantId, statement, { plannedOnce: true });
  }

  /** @throws Problem 404 */
  get(caller: Principal, id: string, hostsCursor?: string): Promise<ExecutionView> {
    return this.loadFullRun(
      caller,
      id,
      parseHostsCursor(hostsCursor),
      (statement) => this.units.queryOnce(caller.tenantId, statement),
      (work) => this.units.read(caller.tenantId, work),
    );
  }

  async getInTransaction(
    tx: EntityManager,
    caller: Principal,
    id: string,
    hostsCursor?: string,
  ): Promise<ExecutionView> {
    return this.loadFullRun(
      caller,
      id,
      parseHostsCursor(hostsCursor),
      (statement) => rows(tx, statement),
      (work) => work(tx),
    );
  }

  /**
   * @param afterOrdinal ordinal of the host before the page
   * @param ask runs the main statement
   * @param within runs the further queries that only some runs need
   */
  private async loadFullRun(
    caller: Principal,
    id: string,
    afterOrdinal: number,
    ask: (statement: Sql<FullRunRow>) => Promise<FullRunRow[]>,
    within: <T>(work: (tx: EntityManager) => Promise<T>) => Promise<T>,
  ): Promise<ExecutionView> {
    const [found] = isId(id) ? await ask(selectFullRunSql(caller, id, afterOrdinal)) : [];
    if (!found) throw notFound();
    const { steps, hosts, has_approval: hasApproval, has_unknown: unknown, ...others } = found;
    const { without_commands: withoutCommands, has_override: overridden, ...rest } = others;
    const run = { ...rest, snapshot: readSnapshot(rest.snapshot) };
    const facts: RunFacts = {
      row: run,
      steps: (steps ?? []).map(parseStepJson),
      hosts: hosts !== null && hosts.length === run.host_count ? hosts : null,
    };
    const more =
      hasApproval || unknown || overridden || run.queue || needsFullSummary(facts)
        ? await within((tx) => this.loadRunDetails(tx, caller, facts))
        : { ...NO_DETAILS, summary: toShortSummary(facts) };
    const view = toExecutionView(run, [...facts.steps], hosts ?? [], this.publicUrl);
    return { ...view, pause: this.details.toPauseView(run), warnings: toRunWarnings(withoutCommands), ...more };
  }

  private async loadRunDetails(tx: EntityManager, caller: Principal, facts: RunFacts): Promise<RunDetails> {
    const { row: run } = facts;
    const { queue } = toExecutionSummary(run, this.publicUrl);
    return {
      queue: queue && { ...queue, ...(await this.overlaps.findBlockers(tx, caller, run.id)) },
      approval: await this.details.loadApprovalView(tx, caller, run),
      protectionOverride: await this.details.loadProtectionOverride(tx, run),
      forecast: await this.forecasts.loadForecast(tx, caller, run),
      summary: await loadRunSummary(tx, facts),
      unknownHosts: await this.details.loadUnknownHosts(tx, run),
    };
  }

  async getVisibleRun(tx: EntityManager, caller: Principal, id: string): Promise<FullRunRowForCaller> {
    const run = isId(id)
      ? await row(
          tx,
          sql.prepared<FullRunRowForCaller>`
            select ${EXECUTION_COLUMNS_SQL}, e.snapshot, e.digest, ${awaitsCallerSql(sql.raw('e'), caller)} as awaits_caller
              from executions e where ${isVisibleRunSql(id, caller)}`,
        )
      : undefined;
    if (!run) throw notFound();
    return { ...run, snapshot: readSnapshot(run.snapshot) };
  }

  /**
   * Reads only status and version. Used to poll a run and to recheck whether the caller can see it. @throws Problem 404
   */
  getRunState(caller: Principal, id: string): Promise<Pick<ExecutionRow, 'status' | 'version'>> {
    return this.units.read(caller.tenantId, async (tx) => {
      const state = isId(id)
        ? await row(
            tx,
            sql.prepared<Pick<ExecutionRow, 'status' | 'version'>>`
              select e.status, e.version from executions e where ${isVisibleRunSql(id, caller)}`,
          )
        : undefined;
      if (!state) throw notFound();
      return state;
    });
  }
}

const HOSTS_CURSOR = { parameter: 'hostsCursor', field: 'hostsNextCursor' };
const parseHostsCursor = (cursor: string | undefined): number =>
  readCursor(cursor, ['ordinal'], HOSTS_CURSOR)?.[0] ?? -1;

/**
 * Requires that the run, or one of the runs, has the requested step, if any. The caller must have verified that the
 * runs are visible.
 * @throws Problem 400 that names the query parameter
 */
export async function requireStep(
  tx: EntityManager,
  ids: string | readonly string[],
  stepKey: string | undefined,
): Promise<void> {
  if (stepKey === undefined) return;
  const runs = [ids].flat();
  const step = await row(
    tx,
    sql`select 1 from execution_steps where execution_id = any (${runs}) and key = ${stepKey}`,
  );
  if (step) return;
  const message = 'stepKey must be the key of a step of this run.';
  throw invalidRequest([{ path: '?stepKey', code: 'unknown_step', message }]);
}
