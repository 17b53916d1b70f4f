import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { invalidRequest, type Difference } from '../../common/errors/problem.js';
import type {
  CompareExecutionQuery,
  CompareHostsQuery,
  ComparedHostsView,
  ComparedHostView,
  ComparedStepView,
  DifferenceCountView,
  RunComparisonView,
  RunInComparisonView,
  StepInRunView,
  UsualDurationView,
  UsualStepDurationQuery,
  UsualStepDurationView,
} from '../contract/run-comparison.view.js';
import type { HostStatus, StepStatus } from '../lifecycle/statuses.js';
import { ExecutionsReader, requireStep } from '../queries/executions.reader.js';
import type { ExecutionRow } from '../record/execution-row.js';
import { compareRuns, limitDifferences } from './compare-runs.js';
import { FrozenRuns } from './frozen-runs.js';

const MAX_HOSTS = 200;
const MAX_RUNS_IN_MEDIAN = 20;
const MAX_RESULTS_IN_MEDIAN = 200;
const NO_STEP_DURATION: UsualStepDurationView = { medianMs: null, results: 0, runs: 0 };

interface StepRow {
  key: string;
  name: string;
  status: StepStatus;
  started_at: Date | null;
  finished_at: Date | null;
  counts: StepInRunView['counts'];
}

interface HostRow {
  server_id: string;
  name: string;
  before_status: HostStatus | null;
  before_ms: number | null;
  after_status: HostStatus | null;
  after_ms: number | null;
  total: number;
  changed: number;
}

/** Compares a run with an earlier one: its frozen content and its results. */
@Injectable()
export class ComparisonReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
    private readonly frozen: FrozenRuns,
  ) {}

  /** @throws Problem 404 for a run that the caller cannot see; 400 if both runs are the same */
  async compare(caller: Principal, id: string, query: CompareExecutionQuery): Promise<RunComparisonView> {
    const { frozen, ...view } = await this.units.read(caller.tenantId, async (tx) => {
      const { run, other } = await this.findRuns(tx, caller, id, query.with);
      return {
        run: toRunView(run),
        comparedTo: other && toRunView(other),
        steps: compareSteps(other ? await loadSteps(tx, other.id) : [], await loadSteps(tx, run.id)),
        usualDuration: await findUsualDuration(tx, run),
        frozen: other && (await this.readFrozenRuns(tx, caller.tenantId, other.id, run.id)),
      };
    });
    // Without a database connection, because it takes long for thousands of hosts.
    const all = frozen ? await compareRuns(frozen.before, frozen.after) : [];
    const { differences, moreDifferences } = limitDifferences(all);
    return {
      ...view,
      differences: query.texts === false ? differences.map(omitTexts) : differences,
      moreDifferences,
      differenceCounts: countDifferences(all),
    };
  }

  /** @throws Problem 404 for a run that the caller cannot see; 400 if both runs are the same, or neither has the step */
  compareHosts(caller: Principal, id: string, query: CompareHostsQuery): Promise<ComparedHostsView> {
    return this.units.read(caller.tenantId, async (tx) => {
      const { run, other } = await this.findRuns(tx, caller, id, query.with);
      await requireStep(tx, [run.id, ...(other ? [other.id] : [])], query.stepKey);
      const found = await rows(tx, selectComparedHostsSql(other?.id ?? null, run.id, query));
      return {
        items: found.map(toHostView),
        total: found[0]?.total ?? 0,
        changedStatus: found[0]?.changed ?? 0,
      };
    });
  }

  /** @throws Problem 404 for a run that the caller cannot see; 400 for an unknown step */
  readUsualStepDuration(
    caller: Principal,
    id: string,
    { stepKey }: UsualStepDurationQuery,
  ): Promise<UsualStepDurationView> {
    return this.units.read(caller.tenantId, async (tx) => {
      const run = await this.executions.getVisibleRun(tx, caller, id);
      await requireStep(tx, id, stepKey);
      if (stepKey === undefined) {
        const usual = await findUsualDuration(tx, run);
        return usual ? { ...usual, results: usual.runs } : NO_STEP_DURATION;
      }
      if (run.execution_mode === 'dry_run') return NO_STEP_DURATION;
      const found = await row(
        tx,
        sql<UsualStepDurationView>`
          select percentile_cont(0.5) within group (order by ms)::float8 as "medianMs", count(*)::int as results,
              count(distinct r.id)::int as runs
            from (${selectRecentSuccessesSql(run)}) r
            join execution_steps s on s.execution_id = r.id and s.key = ${stepKey}
            cross join lateral (select extract(epoch from finished_at - started_at) * 1000 as ms from host_results
              where execution_id = r.id and step_index = s.step_index and status = 'SUCCEEDED' and finished_at >= started_at
              limit ${MAX_RESULTS_IN_MEDIAN}) d`,
      );
      return found ?? NO_STEP_DURATION;
    });
  }

  private async findRuns(tx: EntityManager, caller: Principal, id: string, otherId: string | undefined) {
    const run = await this.executions.getVisibleRun(tx, caller, id);
    if (otherId === run.id)
      throw invalidRequest([
        { path: '?with', code: 'invalid_value', message: 'with must be another run than the one in the path.' },
      ]);
    const place = { planId: run.plan_id, environmentId: run.environment_id, before: run.id };
    const found = otherId ?? (await this.frozen.findLastSuccessId(tx, caller.tenantId, place));
    return { run, other: found === null ? null : await this.executions.getVisibleRun(tx, caller, found) };
  }

  private async readFrozenRuns(tx: EntityManager, tenantId: string, beforeId: string, afterId: string) {
    const before = await this.frozen.readRun(tx, { tenantId, executionId: beforeId });
    const after = await this.frozen.readRun(tx, { tenantId, executionId: afterId });
    if (!before || !after) throw new Error('A run that was read a moment ago no longer exists.');
    return { before, after };
  }
}

const omitTexts = (difference: Difference): Difference => ({ ...difference, before: null, after: null });

export function countDifferences(differences: readonly Difference[]): DifferenceCountView[] {
  const counts = new Map<string, DifferenceCountView>();
  for (const { kind, change } of differences) {
    const known = counts.get(`${kind} ${change}`);
    if (known) known.count += 1;
    else counts.set(`${kind} ${change}`, { kind, change, count: 1 });
  }
  return [...counts.values()];
}

const toDuration = (from: Date | null, to: Date | null): number | null =>
  from && to ? Math.max(0, to.getTime() - from.getTime()) : null;

const toRunView = (run: ExecutionRow): RunInComparisonView => ({
  id: run.id,
  planId: run.plan_id,
  planName: run.plan_name,
  planRevision: run.plan_revision,
  environmentId: run.environment_id,
  environmentName: run.environment_name,
  status: run.status,
  execution_mode: run.execution_mode,
  hostCount: run.host_count,
  createdAt: run.created_at.toISOString(),
  startedAt: run.started_at?.toISOString() ?? null,
  finishedAt: run.finished_at?.toISOString() ?? null,
  durationMs: toDuration(run.started_at, run.finished_at),
});

const loadSteps = (tx: EntityManager, id: string): Promise<StepRow[]> =>
  rows(
    tx,
    sql<StepRow>`select key, name, status, started_at, finished_at, counts from execution_steps
      where execution_id = ${id} order by step_index`,
  );

const toStepView = (step: StepRow | undefined): StepInRunView | null =>
  step ? { status: step.status, durationMs: toDuration(step.started_at, step.finished_at), counts: step.counts } : null;

function compareSteps(before: readonly StepRow[], after: readonly StepRow[]): ComparedStepView[] {
  const [was, is] = [new Map(before.map((each) => [each.key, each])), new Map(after.map((each) => [each.key, each]))];
  return [...after, ...before.filter(({ key }) => !is.has(key))].map(({ key, name }) => ({
    key,
    name,
    before: toStepView(was.get(key)),
    after: toStepView(is.get(key)),
  }));
}

/** SQL: the last successful runs of the plan in the environment before a run. */
const selectRecentSuccessesSql = (run: Pick<ExecutionRow, 'id' | 'tenant_id' | 'plan_id' | 'environment_id'>) =>
  sql`select id, started_at, finished_at from executions
    where tenant_id = ${run.tenant_id} and plan_id = ${run.plan_id} and environment_id = ${run.environment_id}
      and id < ${run.id} and status = 'SUCCEEDED' and execution_mode <> 'dry_run' and finished_at is not null
    order by id desc limit ${MAX_RUNS_IN_MEDIAN}`;

/** Null: a dry run, or no earlier run of the plan succeeded in the environment. */
async function findUsualDuration(tx: EntityManager, run: ExecutionRow): Promise<UsualDurationView | null> {
  if (run.execution_mode === 'dry_run') return null;
  const found = await row(
    tx,
    sql<{ median: number | null; runs: number }>`
      select percentile_cont(0.5) within group (order by extract(epoch from finished_at - started_at) * 1000)::float8
          as median, count(*)::int as runs
        from (${selectRecentSuccessesSql(run)}) recent`,
  );
  return found && found.median !== null ? { medianMs: Math.round(found.median), runs: found.runs } : null;
}

/** SQL: hosts of a run with their status and duration, or those of one step. */
const selectHostsSql = (id: string | null, stepKey: string | undefined) =>
  stepKey === undefined
    ? sql`select h.server_id, h.name, h.status, d.ms from execution_hosts h
        left join (select server_id, greatest(0, round(sum(extract(epoch from finished_at - started_at)) * 1000))::float8 as ms
          from host_results where execution_id = ${id}::uuid group by server_id) d on d.server_id = h.server_id
        where h.execution_id = ${id}::uuid`
    : sql`select h.server_id, h.name, r.status,
          greatest(0, round(extract(epoch from r.finished_at - r.started_at) * 1000))::float8 as ms
        from execution_steps s
        join host_results r on r.execution_id = s.execution_id and r.step_index = s.step_index
        join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
        where s.execution_id = ${id}::uuid and s.key = ${stepKey} and r.execution_id = ${id}::uuid`;

const selectComparedHostsSql = (before: string | null, after: string, { stepKey, q = '' }: CompareHostsQuery) =>
  sql<HostRow>`
    select server_id, coalesce(a.name, b.name) as name, b.status as before_status, b.ms as before_ms,
        a.status as after_status, a.ms as after_ms, (count(*) over ())::int as total,
        (count(*) filter (where b.status is distinct from a.status) over ())::int as changed
      from (${selectHostsSql(after, stepKey)}) a
      full join (${selectHostsSql(before, stepKey)}) b using (server_id)
      where position(lower(${q}) in lower(coalesce(a.name, b.name))) > 0
      order by (b.status is distinct from a.status) desc, (coalesce(a.ms, 0) - coalesce(b.ms, 0)) desc, name, server_id
      limit ${MAX_HOSTS}`;

const toHostView = (host: HostRow): ComparedHostView => ({
  serverId: host.server_id,
  serverName: host.name,
  before: host.before_status === null ? null : { status: host.before_status, durationMs: host.before_ms },
  after: host.after_status === null ? null : { status: host.after_status, durationMs: host.after_ms },
});
