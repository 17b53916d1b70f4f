import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql, type Sql } from '../../common/database/sql.js';
import type { RetentionTotals } from './due-runs.js';

const ROWS_PER_BATCH = 2_000;
const RUNS_PER_BATCH = 50;

interface LargeTable {
  /** @sql output_chunks */
  name: Sql;
  /**
   * Key columns.
   * @sql execution_id, seq
   */
  key: Sql;
}

/** Tables with many rows per run. Rows of other tables are deleted with the run's own row. */
const LARGE_TABLES: readonly LargeTable[] = [
  { name: sql`output_chunks`, key: sql`execution_id, seq` },
  { name: sql`execution_events`, key: sql`execution_id, seq` },
  { name: sql`host_results`, key: sql`execution_id, step_index, server_id` },
  { name: sql`inherited_results`, key: sql`execution_id, step_index, server_id` },
  { name: sql`dispatches`, key: sql`dispatch_id` },
  { name: sql`execution_hosts`, key: sql`execution_id, server_id` },
];

const showRemovedRuns = (tx: EntityManager) => row(tx, sql`select set_config('app.removed_runs', 'shown', true)`);

/** Calls `work` with removed runs visible, then hides them for the rest of the transaction. */
export async function withRemovedRuns<T>(tx: EntityManager, work: () => Promise<T>): Promise<T> {
  await showRemovedRuns(tx);
  const result = await work();
  await row(tx, sql`select set_config('app.removed_runs', '', true)`);
  return result;
}

/**
 * Marks finished runs as removed, except runs that must be kept and runs locked by another transaction.
 * @returns IDs, number and bytes of the removed runs
 */
export async function removeRuns(
  tx: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<RetentionTotals & { ids: string[] }> {
  const removedRuns = await withRemovedRuns(tx, async () => {
    const heldRuns = await rows(
      tx,
      sql<{ id: string }>`
        select id from executions where tenant_id = ${tenantId} and id = any (${ids}) and finished_at is not null
            and removed_at is null and pinned_at is null order by id for update skip locked`,
    );
    const heldIds = heldRuns.map(({ id }) => id);
    // A separate statement, because only that sees reruns accepted before the rows were locked.
    return rows(
      tx,
      sql<{ id: string; environment_id: string; stored_bytes: string }>`
        update executions e set removed_at = now(), version = version + 1
          where e.tenant_id = ${tenantId} and e.id = any (${heldIds})
            and not exists (select from guard_keys g where g.tenant_id = ${tenantId} and g.execution_id = e.id)
            and not exists (select from executions c where c.tenant_id = ${tenantId} and c.parent_id = e.id
              and c.removed_at is null and c.id <> all (${heldIds}))
          returning e.id, e.environment_id, e.stored_bytes`,
    );
  });
  const bytes = removedRuns.map((run) => Number(run.stored_bytes));
  await affected(
    tx,
    sql`insert into execution_totals (tenant_id, environment_id, runs, bytes)
      select ${tenantId}::uuid, environment_id, -count(*), -sum(bytes)
        from unnest(${removedRuns.map((run) => run.environment_id)}::uuid[], ${bytes}::bigint[]) as r (environment_id, bytes)
        group by 2`,
  );
  return {
    ids: removedRuns.map(({ id }) => id),
    runs: removedRuns.length,
    bytes: bytes.reduce((sum, each) => sum + each, 0),
  };
}

/**
 * Deletes some rows of removed runs. Concurrent calls work on different runs.
 * @returns whether more rows may remain
 */
export async function deleteBatch(tx: EntityManager, tenantId: string): Promise<boolean> {
  await showRemovedRuns(tx);
  const runs = await rows(
    tx,
    sql<{ id: string }>`select id from executions where tenant_id = ${tenantId} and removed_at is not null
      order by id limit ${RUNS_PER_BATCH} for update skip locked`,
  );
  if (runs.length === 0) return false;
  const ids = runs.map(({ id }) => id);
  for (const table of LARGE_TABLES) {
    const deleted = await affected(
      tx,
      sql`delete from ${table.name} where execution_id = any (${ids}) and (${table.key}) in (
        select ${table.key} from ${table.name} where execution_id = any (${ids}) limit ${ROWS_PER_BATCH})`,
    );
    if (deleted >= ROWS_PER_BATCH) return true;
  }
  await affected(tx, sql`delete from executions where tenant_id = ${tenantId} and id = any (${ids})`);
  return true;
}

/** Merges the totals of each environment into one row, which keeps reads fast. Skips locked rows. */
export async function mergeTotals(tx: EntityManager, tenantId: string): Promise<void> {
  await affected(
    tx,
    sql`with taken as (
        delete from execution_totals where id in (
          select id from execution_totals where tenant_id = ${tenantId} limit 20000 for update skip locked)
        returning environment_id, runs, bytes)
      insert into execution_totals (tenant_id, environment_id, runs, bytes)
        select ${tenantId}::uuid, environment_id, sum(runs), sum(bytes)
          from taken group by environment_id having sum(runs) <> 0`,
  );
}
