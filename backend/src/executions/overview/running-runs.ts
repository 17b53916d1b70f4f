import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import type { ExecutionSummaryView } from '../contract/execution.view.js';
import type { HostCounts } from '../contract/run-summary.view.js';
import { type HostStatus, isHostFinished, type StepStatus } from '../lifecycle/statuses.js';
import { EXECUTION_COLUMNS_SQL } from '../record/execution-row.js';
import { type RunRowForCaller, toExecutionSummary } from '../queries/to-execution-view.js';
import { awaitsCallerSql } from '../queries/visible-run.js';
import { isRunInSql } from './open-failures.js';

const MAX_RUNS_IN_MEDIAN = 20;

interface StepProgressRow {
  name: string;
  status: StepStatus;
  counts: HostCounts;
}

export interface RunProgress {
  /** Name and number of the current step, from 1; null: no step has begun. */
  stepName: string | null;
  stepNumber: number | null;
  stepCount: number;
  /** Hosts that have finished the current step, and its hosts. */
  hostsDone: number;
  hostCount: number;
  /** Share of finished steps and hosts, in percent. */
  percent: number;
}

export interface RunningRun {
  run: ExecutionSummaryView;
  progress: RunProgress;
  usualDurationMs: number | null;
}

type RunningRow = RunRowForCaller & { usual_ms: number | null; steps: StepProgressRow[] | null; total: number };

/**
 * Returns unfinished runs, those with commands first, then the newest.
 * @param environmentIds environments that the caller may see
 * @param withAwaited also runs that wait for a decision of the caller
 */
export async function listRunningRuns(
  tx: EntityManager,
  caller: Principal,
  environmentIds: readonly string[],
  { limit, publicUrl, withAwaited = false }: { limit: number; publicUrl: string; withAwaited?: boolean },
): Promise<{ items: RunningRun[]; count: number }> {
  const found = await rows(
    tx,
    sql<RunningRow>`
      select ${EXECUTION_COLUMNS_SQL}, picked.awaits_caller, picked.total,
          (select percentile_cont(0.5) within group (order by extract(epoch from past.finished_at - past.started_at) * 1000)::float8
            from (select p.started_at, p.finished_at from executions p
              where p.tenant_id = e.tenant_id and p.environment_id = e.environment_id and p.plan_id = e.plan_id
                and p.status = 'SUCCEEDED' and p.finished_at is not null and p.execution_mode <> 'dry_run'
              order by p.id desc limit ${MAX_RUNS_IN_MEDIAN}) past) as usual_ms,
          (select json_agg(json_build_object('name', coalesce(nullif(s.name, ''), s.key), 'status', s.status,
              'counts', s.counts) order by s.step_index)
            from execution_steps s where s.execution_id = e.id) as steps
        from (select e.id, (e.status in ('RUNNING', 'CANCELLING')) as active, count(*) over ()::int as total,
            ${withAwaited ? awaitsCallerSql(sql.raw('e'), caller) : sql`false`} as awaits_caller
          from executions e
          where e.tenant_id = ${caller.tenantId} and e.finished_at is null and ${isRunInSql(environmentIds, caller)}
            ${withAwaited ? sql.none : sql`and not ${awaitsCallerSql(sql.raw('e'), caller)}`}
          order by active desc, e.id desc limit ${limit}) picked
        join executions e on e.tenant_id = ${caller.tenantId} and e.id = picked.id
        order by picked.active desc, e.id desc`,
  );
  return {
    items: found.map(({ usual_ms, steps, total: _, ...row }) => ({
      run: toExecutionSummary(row, publicUrl),
      progress: toProgress(steps ?? [], row.host_count),
      usualDurationMs: row.execution_mode === 'dry_run' || usual_ms === null ? null : Math.round(usual_ms),
    })),
    count: found[0]?.total ?? 0,
  };
}

const countDone = (counts: HostCounts): number =>
  Object.entries(counts).reduce((sum, [status, n]) => sum + (isHostFinished(status as HostStatus) ? n : 0), 0);
const countAll = (counts: HostCounts): number => Object.values(counts).reduce((sum, n) => sum + n, 0);
const isOver = ({ status }: StepProgressRow): boolean => !['PENDING', 'RUNNING', 'PAUSED'].includes(status);

/** A step without host results yet counts with all hosts of the run. */
export function toProgress(steps: readonly StepProgressRow[], hostCount: number): RunProgress {
  const index = steps.findIndex(({ status }) => status === 'RUNNING' || status === 'PAUSED');
  const current = steps[index];
  const shareOf = (step: StepProgressRow): number => {
    if (isOver(step)) return 1;
    const all = Math.max(countAll(step.counts), hostCount);
    return all === 0 ? 0 : countDone(step.counts) / all;
  };
  const done = steps.reduce((sum, step) => sum + shareOf(step), 0);
  return {
    stepName: current?.name ?? null,
    stepNumber: current ? index + 1 : null,
    stepCount: steps.length,
    hostsDone: current ? countDone(current.counts) : 0,
    hostCount: current ? countAll(current.counts) || hostCount : hostCount,
    percent: steps.length === 0 ? 0 : Math.round((done / steps.length) * 100),
  };
}
