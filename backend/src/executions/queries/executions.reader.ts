import { wasOverridden } from '../../environments/protection/protection-change-rows.js';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { prepared } from '../../common/database/prepared.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { invalidRequest, notFound } from '../../common/errors/problem.js';
import { readCursor } from '../../common/http/paging/cursor.js';
import { requireOrderedRange } from '../../common/http/paging/filters.js';
import type { Page } from '../../common/http/paging/page.js';
import { isId } from '../../common/ids.js';
import { RUNTIME, type Runtime } from '../../common/runtime.js';
import { awaitsCaller } from './awaits-caller.js';
import type { ListExecutionsQuery } from '../contract/queries.dto.js';
import type { ExecutionSummaryView, ExecutionView } from '../contract/execution.view.js';
import { EXECUTION_COLUMNS, type ExecutionRow, readSnapshot } from '../record/execution-row.js';
import { listRuns, newestRuns } from './list-runs.js';
import { OverlapReport } from './overlap-report.js';
import { RunForecast } from './run-forecast.js';
import { needsFullSummary, toShortSummary, type RunFacts, runSummary } from './run-summary.js';
import { RunDetailReader } from './run-detail.reader.js';
import { type HostsWithoutCommands, runWarnings, WITHOUT_COMMANDS } from './run-warnings.js';
import { runIsVisible } from './visible-run.js';
import {
  type HostRow,
  HOSTS_PER_PAGE,
  type FullRunRowForCaller,
  type StepRow,
  toSummary,
  toView,
} from './to-execution-view.js';

/** `$1` is the tenant and `$2` the run. */
const CALLER = { role: '$3', user: '$4', limits: '$5' };
const RUN_IS_VISIBLE = runIsVisible('e', CALLER);
const AWAITS_CALLER = awaitsCaller('e', CALLER);

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
const FULL_RUN_SQL = prepared(`select ${EXECUTION_COLUMNS}, e.snapshot, e.digest, ${AWAITS_CALLER} as awaits_caller,
    exists (select 1 from approvals a where a.execution_id = e.id) as has_approval,
    ${wasOverridden('e')} as has_override,
    (e.finished_at is not null or e.status = 'PAUSED') and exists (select 1 from host_results r
      where r.execution_id = e.id and r.status = 'UNKNOWN' and r.resolution is null) as has_unknown,
    ${WITHOUT_COMMANDS} as without_commands,
    (select json_agg(json_build_object('step_index', s.step_index, 'key', s.key, 'name', s.name, 'type', s.type, 'status', s.status,
        'reason', s.reason, 'reason_code', s.reason_code, 'started_at', s.started_at, 'finished_at', s.finished_at,
        'counts', s.counts) order by s.step_index)
      from execution_steps s where s.execution_id = e.id) as steps,
    (select json_agg(h order by h.ordinal) from (
        select server_id, ordinal, name, hostname, port, tags, status, last_step_key from execution_hosts
          where execution_id = e.id and ordinal > $6 order by ordinal limit ${HOSTS_PER_PAGE + 1}) h) as hosts
  from executions e where e.tenant_id = $1 and e.id = $2 and ${RUN_IS_VISIBLE}`);

const readStep = ({ started_at, finished_at, ...step }: StepJson): StepRow => ({
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
    const newest = newestRuns(caller, query, this.publicUrl);
    if (newest) return newest.pageOf(await this.units.ask(caller.tenantId, newest.statement, { plannedOnce: true }));
    return this.units.read(caller.tenantId, (tx) => listRuns(tx, caller, query, this.publicUrl));
  }

  /** @throws Problem 404 */
  get(caller: Principal, id: string, hostsCursor?: string): Promise<ExecutionView> {
    const after = ordinalOf(hostsCursor);
    return this.whole(
      caller,
      id,
      (values) => this.units.ask<FullRunRow>(caller.tenantId, { sql: FULL_RUN_SQL, values: [...values, after] }),
      (work) => this.units.read(caller.tenantId, work),
    );
  }

  async getIn(tx: EntityManager, caller: Principal, id: string, hostsCursor?: string): Promise<ExecutionView> {
    const after = ordinalOf(hostsCursor);
    return this.whole(
      caller,
      id,
      (values) => tx.query<FullRunRow[]>(FULL_RUN_SQL, [...values, after]),
      (work) => work(tx),
    );
  }

  /**
   * @param ask runs the main statement
   * @param within runs the further queries that only some runs need
   */
  private async whole(
    caller: Principal,
    id: string,
    ask: (values: unknown[]) => Promise<FullRunRow[]>,
    within: <T>(work: (tx: EntityManager) => Promise<T>) => Promise<T>,
  ): Promise<ExecutionView> {
    const [found] = isId(id) ? await ask([caller.tenantId, id, caller.role, caller.userId, caller.limits]) : [];
    if (!found) throw notFound();
    const { steps, hosts, has_approval: hasApproval, has_unknown: unknown, ...others } = found;
    const { without_commands: withoutCommands, has_override: overridden, ...rest } = others;
    const row = { ...rest, snapshot: readSnapshot(rest.snapshot) };
    const facts: RunFacts = {
      row,
      steps: (steps ?? []).map(readStep),
      hosts: hosts !== null && hosts.length === row.host_count ? hosts : null,
    };
    const more =
      hasApproval || unknown || overridden || row.queue || needsFullSummary(facts)
        ? await within((tx) => this.more(tx, caller, facts))
        : { ...NO_DETAILS, summary: toShortSummary(facts) };
    const view = toView(row, [...facts.steps], hosts ?? [], this.publicUrl);
    return { ...view, pause: this.details.pause(row), warnings: runWarnings(withoutCommands), ...more };
  }

  private async more(tx: EntityManager, caller: Principal, facts: RunFacts): Promise<RunDetails> {
    const { row } = facts;
    const { queue } = toSummary(row, this.publicUrl);
    return {
      queue: queue && { ...queue, ...(await this.overlaps.blockers(tx, caller, row.id)) },
      approval: await this.details.approval(tx, caller, row),
      protectionOverride: await this.details.protectionOverride(tx, row),
      forecast: await this.forecasts.of(tx, caller, row),
      summary: await runSummary(tx, facts),
      unknownHosts: await this.details.unknownHosts(tx, row),
    };
  }

  async visible(tx: EntityManager, caller: Principal, id: string): Promise<FullRunRowForCaller> {
    const [row] = isId(id)
      ? await tx.query<FullRunRowForCaller[]>(
          prepared(
            `select ${EXECUTION_COLUMNS}, e.snapshot, e.digest, ${AWAITS_CALLER} as awaits_caller from executions e where e.tenant_id = $1 and e.id = $2 and ${RUN_IS_VISIBLE}`,
          ),
          [caller.tenantId, id, caller.role, caller.userId, caller.limits],
        )
      : [];
    if (!row) throw notFound();
    return { ...row, snapshot: readSnapshot(row.snapshot) };
  }

  /**
   * Reads only status and version. Used to poll a run and to recheck whether the caller can see it. @throws Problem 404
   */
  state(caller: Principal, id: string): Promise<Pick<ExecutionRow, 'status' | 'version'>> {
    return this.units.read(caller.tenantId, async (tx) => {
      const [row] = isId(id)
        ? await tx.query<Pick<ExecutionRow, 'status' | 'version'>[]>(
            prepared(
              `select e.status, e.version from executions e where e.tenant_id = $1 and e.id = $2 and ${RUN_IS_VISIBLE}`,
            ),
            [caller.tenantId, id, caller.role, caller.userId, caller.limits],
          )
        : [];
      if (!row) throw notFound();
      return row;
    });
  }
}

const HOSTS_CURSOR = { parameter: 'hostsCursor', field: 'hostsNextCursor' };
const ordinalOf = (cursor: string | undefined): number => readCursor(cursor, ['ordinal'], HOSTS_CURSOR)?.[0] ?? -1;

/**
 * Requires that the run has the requested step, if any. The caller must have verified that the run is visible.
 * @throws Problem 400 that names the query parameter
 */
export async function requireStep(tx: EntityManager, id: string, stepKey: string | undefined): Promise<void> {
  if (stepKey === undefined) return;
  const found = await tx.query<unknown[]>('select 1 from execution_steps where execution_id = $1 and key = $2', [
    id,
    stepKey,
  ]);
  if (found.length > 0) return;
  const message = 'stepKey must be the key of a step of this run.';
  throw invalidRequest([{ path: '?stepKey', code: 'unknown_step', message }]);
}
