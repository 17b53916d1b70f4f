import type { EntityManager } from 'typeorm';
import type { DueRun, KeptReason } from './keeping.js';
import type { RetentionRule } from './retention-rule.js';

export interface RunsOf {
  tenantId: string;
  environmentId: string;
}

export interface Totals {
  runs: number;
  bytes: number;
}

/** Statuses that count as success. The last run with one of them is kept, and so is the last failed run. */
const SUCCEEDED = `'{SUCCEEDED,PARTIALLY_SUCCEEDED}'::text[]`;
const FAILED = `'{FAILED,TIMED_OUT,INTERRUPTED}'::text[]`;

export async function environmentsWithRuns(tx: EntityManager, tenantId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    'select distinct environment_id as id from execution_totals where tenant_id = $1 order by 1',
    [tenantId],
  );
  return rows.map(({ id }) => id);
}

export async function totalsOf(tx: EntityManager, { tenantId, environmentId }: RunsOf): Promise<Totals> {
  const [row] = await tx.query<{ runs: string | null; bytes: string | null }[]>(
    'select sum(runs) as runs, sum(bytes) as bytes from execution_totals where tenant_id = $1 and environment_id = $2',
    [tenantId, environmentId],
  );
  return { runs: Number(row?.runs ?? 0), bytes: Number(row?.bytes ?? 0) };
}

/**
 * Returns the lowest run ID that the rule keeps; null = nothing is due. To find the limit, reads only the due runs or
 * only the kept runs: the smaller number.
 */
export async function dueBefore(tx: EntityManager, of: RunsOf, rule: RetentionRule): Promise<string | null> {
  const bounds: (string | undefined)[] = [];
  const ids = async (sql: string, values: unknown[]) =>
    bounds.push((await tx.query<{ id: string }[]>(sql, values))[0]?.id);
  if (rule.keepDays !== null) await ids(`select first_id_at(now() - make_interval(days => $1)) as id`, [rule.keepDays]);
  const { runs, bytes } = await totalsOf(tx, of);
  const where = 'tenant_id = $1 and environment_id = $2 and finished_at is not null';
  const excessRuns = rule.keepRuns === null ? 0 : runs - rule.keepRuns;
  if (rule.keepRuns !== null && excessRuns > 0) {
    const [order, offset] = excessRuns < rule.keepRuns ? ['', excessRuns] : ['desc', rule.keepRuns - 1];
    await ids(`select id from executions where ${where} order by id ${order} offset $3 limit 1`, [
      of.tenantId,
      of.environmentId,
      offset,
    ]);
  }
  if (rule.keepBytes !== null && bytes > rule.keepBytes) {
    await ids(
      `select coalesce((select id from (
            select id, sum(stored_bytes) over (order by id) - stored_bytes as before from executions where ${where}) r
          where before >= $3 order by id limit 1), 'ffffffff-ffff-ffff-ffff-ffffffffffff') as id`,
      [of.tenantId, of.environmentId, bytes - rule.keepBytes],
    );
  }
  const found = bounds.filter((id) => id !== undefined).sort();
  return found.at(-1) ?? null;
}

/**
 * Returns the due runs below the ID `from`, newest first, each with a reason to keep it, if any.
 * @param bound lowest ID that is not due
 */
export async function dueRuns(
  tx: EntityManager,
  { tenantId, environmentId }: RunsOf,
  { from, bound, limit }: { from: string; bound: string; limit: number },
): Promise<DueRun[]> {
  const isLast = (statuses: string) => `e.execution_mode <> 'dry_run' and e.status = any (${statuses}) and not exists (
    select from executions l where l.tenant_id = $1 and l.environment_id = $2 and l.plan_id = e.plan_id and l.id > e.id
      and l.status = any (${statuses}) and l.finished_at is not null and l.execution_mode <> 'dry_run')`;
  const rows = await tx.query<
    { id: string; parent_id: string | null; stored_bytes: string; created_at: Date; reason: KeptReason | null }[]
  >(
    `select e.id, e.parent_id, e.stored_bytes, e.created_at,
        case when e.finished_at is null then 'active'
          when e.pinned_at is not null then 'pinned'
          when exists (select from guard_keys g where g.tenant_id = $1 and g.execution_id = e.id) then 'unresolved'
          when ${isLast(SUCCEEDED)} then 'last_succeeded'
          when ${isLast(FAILED)} then 'last_failed'
          when exists (select from executions c where c.tenant_id = $1 and c.parent_id = e.id
            and (c.id >= $4 or c.environment_id <> $2 or c.finished_at is null)) then 'referenced' end as reason
      from executions e where e.tenant_id = $1 and e.environment_id = $2 and e.id < $3
      order by e.id desc limit $5`,
    [tenantId, environmentId, from, bound, limit],
  );
  return rows.map((row) => ({
    id: row.id,
    parentId: row.parent_id,
    bytes: Number(row.stored_bytes),
    at: row.created_at,
    reason: row.reason,
  }));
}
