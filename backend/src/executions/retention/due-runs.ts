import type { EntityManager } from 'typeorm';
import { row, rows, sql, type Sql } from '../../common/database/sql.js';
import type { DueRun, KeptReason } from './keeping.js';
import type { RetentionRule } from './retention-rule.js';

export interface EnvironmentRuns {
  tenantId: string;
  environmentId: string;
}

export interface RetentionTotals {
  runs: number;
  bytes: number;
}

/** Statuses that count as success. The last run with one of them is kept, and so is the last failed run. */
const SUCCEEDED_STATUSES_SQL = sql`'{SUCCEEDED,PARTIALLY_SUCCEEDED}'::text[]`;
const FAILED_STATUSES_SQL = sql`'{FAILED,TIMED_OUT,INTERRUPTED}'::text[]`;

export async function listEnvironmentsWithRuns(tx: EntityManager, tenantId: string): Promise<string[]> {
  const environments = await rows(
    tx,
    sql<{ id: string }>`
      select distinct environment_id as id from execution_totals where tenant_id = ${tenantId} order by 1`,
  );
  return environments.map(({ id }) => id);
}

export async function loadTotals(
  tx: EntityManager,
  { tenantId, environmentId }: EnvironmentRuns,
): Promise<RetentionTotals> {
  const totals = await row(
    tx,
    sql<{ runs: string | null; bytes: string | null }>`select sum(runs) as runs, sum(bytes) as bytes
      from execution_totals where tenant_id = ${tenantId} and environment_id = ${environmentId}`,
  );
  return { runs: Number(totals?.runs ?? 0), bytes: Number(totals?.bytes ?? 0) };
}

/**
 * Returns the lowest run ID that the rule keeps; null = nothing is due. To find the limit, reads only the due runs or
 * only the kept runs: the smaller number.
 */
export async function findDueBoundary(
  tx: EntityManager,
  of: EnvironmentRuns,
  rule: RetentionRule,
): Promise<string | null> {
  const bounds: (string | undefined)[] = [];
  const addBound = async (statement: Sql<{ id: string }>) => bounds.push((await row(tx, statement))?.id);
  if (rule.keepDays !== null)
    await addBound(sql<{ id: string }>`select first_id_at(now() - make_interval(days => ${rule.keepDays})) as id`);
  const { runs, bytes } = await loadTotals(tx, of);
  const finished = sql`tenant_id = ${of.tenantId} and environment_id = ${of.environmentId} and finished_at is not null`;
  const excessRuns = rule.keepRuns === null ? 0 : runs - rule.keepRuns;
  if (rule.keepRuns !== null && excessRuns > 0) {
    const fromOldest = excessRuns < rule.keepRuns;
    await addBound(
      sql<{ id: string }>`select id from executions where ${finished} order by id ${fromOldest ? sql.none : sql`desc`}
        offset ${fromOldest ? excessRuns : rule.keepRuns - 1} limit 1`,
    );
  }
  if (rule.keepBytes !== null && bytes > rule.keepBytes) {
    await addBound(
      sql<{ id: string }>`select coalesce((select id from (
            select id, sum(stored_bytes) over (order by id) - stored_bytes as before from executions where ${finished}) r
          where before >= ${bytes - rule.keepBytes} order by id limit 1), 'ffffffff-ffff-ffff-ffff-ffffffffffff') as id`,
    );
  }
  const found = bounds.filter((id) => id !== undefined).sort();
  return found.at(-1) ?? null;
}

/**
 * Returns the due runs below the ID `from`, newest first, each with a reason to keep it, if any.
 * @param bound lowest ID that is not due
 */
export async function listDueRuns(
  tx: EntityManager,
  { tenantId, environmentId }: EnvironmentRuns,
  { from, bound, limit }: { from: string; bound: string; limit: number },
): Promise<DueRun[]> {
  const isLast = (statuses: Sql) => sql`e.execution_mode <> 'dry_run' and e.status = any (${statuses}) and not exists (
    select from executions l where l.tenant_id = ${tenantId} and l.environment_id = ${environmentId} and l.plan_id = e.plan_id and l.id > e.id
      and l.status = any (${statuses}) and l.finished_at is not null and l.execution_mode <> 'dry_run')`;
  const due = await rows(
    tx,
    sql<{ id: string; parent_id: string | null; stored_bytes: string; created_at: Date; reason: KeptReason | null }>`
      select e.id, e.parent_id, e.stored_bytes, e.created_at,
        case when e.finished_at is null then 'active'
          when e.pinned_at is not null then 'pinned'
          when exists (select from guard_keys g where g.tenant_id = ${tenantId} and g.execution_id = e.id) then 'unresolved'
          when ${isLast(SUCCEEDED_STATUSES_SQL)} then 'last_succeeded'
          when ${isLast(FAILED_STATUSES_SQL)} then 'last_failed'
          when exists (select from executions c where c.tenant_id = ${tenantId} and c.parent_id = e.id
            and (c.id >= ${bound} or c.environment_id <> ${environmentId} or c.finished_at is null)) then 'referenced' end as reason
      from executions e where e.tenant_id = ${tenantId} and e.environment_id = ${environmentId} and e.id < ${from}
      order by e.id desc limit ${limit}`,
  );
  return due.map((run) => ({
    id: run.id,
    parentId: run.parent_id,
    bytes: Number(run.stored_bytes),
    at: run.created_at,
    reason: run.reason,
  }));
}
