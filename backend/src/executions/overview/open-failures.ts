import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import { toLowestIdFrom } from '../../common/ids.js';
import { isWithinLimitsSql } from '../../environments/environments.sql.js';
import type { ExecutionSummaryView } from '../contract/execution.view.js';
import type { FailureCauseView } from '../contract/failure-causes.view.js';
import { type ExecutionStatus, FAILURE_STATUSES } from '../lifecycle/statuses.js';
import type { ExecutionRow } from '../record/execution-row.js';
import { EXECUTION_COLUMNS_SQL } from '../record/execution-row.js';
import { type RunRowForCaller, toExecutionSummary } from '../queries/to-execution-view.js';
import { awaitsCallerSql } from '../queries/visible-run.js';
import { type Failure, FailureGroups } from '../results/failure-causes.js';
import { selectTailSql } from '../results/failure-causes.reader.js';

/** Failures older than this are not reported as open. */
export const MAX_FAILURE_AGE_DAYS = 365;
const DAY_MS = 86_400_000;
/** Newest runs of each status that are read. */
const MAX_RUNS_PER_STATUS = 500;
/** Failed hosts of a run from which its cause is read. */
const MAX_READ_HOSTS = 3;

/** Statuses of a run that failed. An expired run counts only if it had begun. */
const FAILED_RUN_STATUSES = [
  'FAILED',
  'PARTIALLY_SUCCEEDED',
  'TIMED_OUT',
  'INTERRUPTED',
  'EXPIRED',
] as const satisfies ExecutionStatus[];

export interface OpenFailure {
  /** Latest failed run. */
  id: string;
  planId: string;
  environmentId: string;
  /** Number of failed runs since the last success. */
  failedRuns: number;
  lastSuccessAt: Date | null;
}

export interface FailureScan {
  /** Newest first. */
  open: OpenFailure[];
  /** Number of runs that failed within 24 hours. */
  failedInLastDay: number;
  /** Whether older failures were not read. */
  isTruncated: boolean;
}

interface FailedRun extends OpenFailure {
  inLastDay: number;
  /** Largest number of runs of one status that were read. */
  read: number;
}

/** Condition on a run `e`: it is in one of the environments, and its plan within the limits of the token. */
export const isRunInSql = (environmentIds: readonly string[], caller: Principal): Sql =>
  sql`e.environment_id = any (${sql.value(environmentIds)}::uuid[]) and ${isWithinLimitsSql('planIds', sql`e.plan_id`, caller)}`;

/**
 * Returns failures without a later success of the plan in the environment, one for each plan and environment. Dry runs
 * are ignored. Reads at most `MAX_RUNS_PER_STATUS` runs of each status.
 * @param environmentIds environments that the caller may see
 */
export async function findOpenFailures(
  tx: EntityManager,
  caller: Principal,
  environmentIds: readonly string[],
): Promise<FailureScan> {
  const { tenantId } = caller;
  const since = toLowestIdFrom(new Date(Date.now() - MAX_FAILURE_AGE_DAYS * DAY_MS).toISOString());
  const pairs = await rows(
    tx,
    sql<FailedRun & { isOpen: boolean }>`
      with failed as materialized (
        select f.*, wanted.status from unnest(${[...FAILED_RUN_STATUSES]}::text[]) as wanted (status)
          cross join lateral (
            select e.id, e.plan_id, e.environment_id, e.finished_at from executions e
              where e.tenant_id = ${tenantId} and e.status = wanted.status and e.id >= ${since}::uuid
                and e.execution_mode <> 'dry_run' and (e.status <> 'EXPIRED' or e.started_at is not null)
                and ${isRunInSql(environmentIds, caller)}
              order by e.id desc limit ${MAX_RUNS_PER_STATUS}) f),
      latest as (
        select (array_agg(id order by id desc))[1] as id, plan_id, environment_id, array_agg(id) as ids,
            (count(*) filter (where finished_at > now() - interval '1 day'))::int as in_last_day
          from failed group by plan_id, environment_id)
      select l.id, l.plan_id as "planId", l.environment_id as "environmentId", l.in_last_day as "inLastDay",
          (select max(n) from (select count(*) as n from failed group by status) counted)::int as read, s.finished_at as "lastSuccessAt",
          (s.id is null or s.id < l.id) as "isOpen",
          (select count(*)::int from unnest(l.ids) as each (id) where s.id is null or each.id > s.id) as "failedRuns"
        from latest l
        left join lateral (
          select n.id, n.finished_at from executions n
            where n.tenant_id = ${tenantId} and n.environment_id = l.environment_id and n.plan_id = l.plan_id
              and n.status = 'SUCCEEDED' and n.finished_at is not null and n.execution_mode <> 'dry_run'
            order by n.id desc limit 1) s on true
        order by l.id desc`,
  );
  return {
    open: pairs
      .filter(({ isOpen }) => isOpen)
      .map(({ id, planId, environmentId, failedRuns, lastSuccessAt }) => ({
        ...{ id, planId, environmentId, failedRuns, lastSuccessAt },
      })),
    failedInLastDay: pairs.reduce((sum, { inLastDay }) => sum + inLastDay, 0),
    isTruncated: (pairs[0]?.read ?? 0) >= MAX_RUNS_PER_STATUS,
  };
}

export interface FailedRunDetail {
  run: ExecutionSummaryView;
  cause: FailureCauseView | null;
  stepName: string | null;
  failedHosts: number;
  /** Names of the first failed hosts. */
  hostNames: string[];
}

interface DetailRow {
  step_name: string | null;
  failed_hosts: number;
  failures: (Omit<Failure, 'stderr' | 'stdout'> & { stderr: string | null; stdout: string | null })[] | null;
}

/** Returns runs with the cause of their first failed step, by ID. The caller must have verified that they are visible. */
export async function loadFailedRuns(
  tx: EntityManager,
  caller: Principal,
  ids: readonly string[],
  publicUrl: string,
): Promise<Map<string, FailedRunDetail>> {
  const statuses = sql.value([...FAILURE_STATUSES]);
  const found = await rows(
    tx,
    sql<ExecutionRow & { awaits_caller: boolean } & DetailRow>`
      select ${EXECUTION_COLUMNS_SQL}, ${awaitsCallerSql(sql.raw('e'), caller)} as awaits_caller,
          step.name as step_name, coalesce(step.failed, 0)::int as failed_hosts,
          (select json_agg(json_build_object('stepIndex', f.step_index, 'stepKey', step.key, 'serverId', f.server_id,
              'serverName', f.name, 'hostname', f.hostname, 'status', f.status, 'exitCode', f.exit_code, 'code', f.code,
              'message', f.message, 'stderr', encode(f.stderr, 'base64'), 'stdout', encode(f.stdout, 'base64')))
            from (select r.step_index, r.server_id, h.name, h.hostname, r.status, r.exit_code, r.code, r.message,
                ${selectTailSql(2)} as stderr, ${selectTailSql(1)} as stdout
              from host_results r join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
              where r.execution_id = e.id and r.step_index = step.step_index and r.status = any (${statuses})
              limit ${MAX_READ_HOSTS}) f) as failures
        from executions e
        left join lateral (
          select s.step_index, s.key, coalesce(nullif(s.name, ''), s.key) as name, c.failed from execution_steps s
            cross join lateral (select sum(count.value::int) as failed from jsonb_each_text(s.counts) count
              where count.key = any (${statuses})) c
            where s.execution_id = e.id and c.failed > 0 order by s.step_index limit 1) step on true
        where e.tenant_id = ${caller.tenantId} and e.id = any (${ids}::uuid[])`,
  );
  return new Map(found.map((row) => [row.id, toFailedRun(row, publicUrl)]));
}

function toFailedRun(row: RunRowForCaller & DetailRow, publicUrl: string): FailedRunDetail {
  const failures = row.failures ?? [];
  const groups = new FailureGroups();
  const toBytes = (text: string | null) => (text === null ? null : Buffer.from(text, 'base64'));
  groups.add(failures.map((each) => ({ ...each, stderr: toBytes(each.stderr), stdout: toBytes(each.stdout) })));
  return {
    run: toExecutionSummary(row, publicUrl),
    cause: groups.toView().items[0] ?? null,
    stepName: row.step_name,
    failedHosts: row.failed_hosts,
    hostNames: failures.map(({ serverName }) => serverName),
  };
}
