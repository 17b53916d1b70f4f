import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import type { FirstFailureView, HostCounts, RunSummaryView, StepCounts } from '../contract/run-summary.view.js';
import type { HostStatus } from '../lifecycle/statuses.js';
import { loadOutputTails } from '../output/output-tail.js';
import { loadDryRunSummary } from './dry-run-summary.js';
import type { HostRow, FullRunRowForCaller, StepRow } from './to-execution-view.js';

const MAX_LAST_LINES = 5;

const FAILURE_STATUSES: ReadonlySet<HostStatus> = new Set([
  ...(['FAILED', 'UNREACHABLE', 'HOST_KEY_UNKNOWN', 'HOST_KEY_MISMATCH', 'TIMED_OUT', 'UNKNOWN'] as const),
]);

export interface RunFacts {
  row: FullRunRowForCaller;
  steps: readonly StepRow[];
  /** All hosts; null: the response has only some of the hosts. */
  hosts: readonly HostRow[] | null;
}

const NO_DRY_RUN_FIELDS = { verdicts: null, changingHosts: null, blockedHosts: null, steps: null };

const findFirstFailedStep = ({ steps }: Pick<RunFacts, 'steps'>): StepRow | undefined =>
  steps.find(({ counts }) => Object.keys(counts).some((status) => FAILURE_STATUSES.has(status as HostStatus)));

export const needsFullSummary = (facts: RunFacts): boolean =>
  facts.hosts === null || facts.row.execution_mode === 'dry_run' || findFirstFailedStep(facts) !== undefined;

export const toShortSummary = ({ row, steps, hosts }: RunFacts): RunSummaryView => ({
  hostCounts: countByStatus(hosts ?? []),
  stepCounts: countByStatus(steps),
  durationMs: row.started_at && row.finished_at ? row.finished_at.getTime() - row.started_at.getTime() : null,
  firstFailure: null,
  ...NO_DRY_RUN_FIELDS,
});

export async function loadRunSummary(tx: EntityManager, facts: RunFacts): Promise<RunSummaryView> {
  const failedStep = findFirstFailedStep(facts);
  return {
    ...toShortSummary(facts),
    ...(facts.hosts === null ? { hostCounts: await loadHostCounts(tx, facts.row.id) } : {}),
    ...(failedStep ? { firstFailure: await loadFirstFailureOfStep(tx, facts.row.id, failedStep) } : {}),
    ...((await loadDryRunSummary(tx, facts.row)) ?? NO_DRY_RUN_FIELDS),
  };
}

function countByStatus(rows: readonly { status: keyof HostCounts | keyof StepCounts }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function loadHostCounts(tx: EntityManager, id: string): Promise<HostCounts> {
  const counts = await rows(
    tx,
    sql<{ status: HostStatus; count: number }>`
      select status, count(*)::int as count from execution_hosts where execution_id = ${id} group by status`,
  );
  return Object.fromEntries(counts.map(({ status, count }) => [status, count]));
}

/** Null: no host failed. */
export async function findFirstFailure(
  tx: EntityManager,
  id: string,
  steps: readonly StepRow[],
): Promise<FirstFailureView | null> {
  const failedStep = findFirstFailedStep({ steps });
  return failedStep ? loadFirstFailureOfStep(tx, id, failedStep) : null;
}

async function loadFirstFailureOfStep(tx: EntityManager, id: string, step: StepRow): Promise<FirstFailureView | null> {
  const failure = await row(
    tx,
    sql<Omit<FirstFailureView, 'lastLines' | 'stepKey'>>`
      select r.server_id as "serverId", h.name as "serverName", r.status, r.exit_code as "exitCode", r.message
      from host_results r join execution_hosts h on h.execution_id = r.execution_id and h.server_id = r.server_id
      where r.execution_id = ${id} and r.step_index = ${step.step_index} and r.status = any (${[...FAILURE_STATUSES]})
      order by r.finished_at, h.ordinal limit 1`,
  );
  if (!failure) return null;
  const tails = await loadOutputTails(tx, { executionId: id }, step.step_index, [failure.serverId], MAX_LAST_LINES);
  return { ...failure, stepKey: step.key, lastLines: tails.get(failure.serverId) ?? [] };
}
