import type { EntityManager } from 'typeorm';
import type { Totals } from './due-runs.js';

const ROWS_AT_ONCE = 2_000;
const RUNS_AT_ONCE = 50;

/** Tables with many rows per run, with their key columns. Rows of other tables are deleted with the run's own row. */
const LARGE_TABLES = [
  ['output_chunks', 'execution_id, seq'],
  ['execution_events', 'execution_id, seq'],
  ['host_results', 'execution_id, step_index, server_id'],
  ['inherited_results', 'execution_id, step_index, server_id'],
  ['dispatches', 'dispatch_id'],
  ['execution_hosts', 'execution_id, server_id'],
] as const;

const showRemovedRuns = (tx: EntityManager) => tx.query(`select set_config('app.removed_runs', 'shown', true)`);

/** Calls `work` with removed runs visible, then hides them for the rest of the transaction. */
export async function withRemovedRuns<T>(tx: EntityManager, work: () => Promise<T>): Promise<T> {
  await showRemovedRuns(tx);
  const result = await work();
  await tx.query(`select set_config('app.removed_runs', '', true)`);
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
): Promise<Totals & { ids: string[] }> {
  const removedRuns = await withRemovedRuns(tx, async () => {
    const heldRuns = await tx.query<{ id: string }[]>(
      `select id from executions where tenant_id = $1 and id = any ($2) and finished_at is not null and removed_at is null
          and pinned_at is null order by id for update skip locked`,
      [tenantId, ids],
    );
    // A separate statement, because only that sees reruns accepted before the rows were locked.
    const [rows] = await tx.query<[{ id: string; environment_id: string; stored_bytes: string }[], number]>(
      `update executions e set removed_at = now(), version = version + 1
        where e.tenant_id = $1 and e.id = any ($2)
          and not exists (select from guard_keys g where g.tenant_id = $1 and g.execution_id = e.id)
          and not exists (select from executions c where c.tenant_id = $1 and c.parent_id = e.id and c.removed_at is null
            and c.id <> all ($2))
        returning e.id, e.environment_id, e.stored_bytes`,
      [tenantId, heldRuns.map(({ id }) => id)],
    );
    return rows;
  });
  const bytes = removedRuns.map((run) => Number(run.stored_bytes));
  await tx.query(
    `insert into execution_totals (tenant_id, environment_id, runs, bytes)
      select $1, environment_id, -count(*), -sum(bytes) from unnest($2::uuid[], $3::bigint[]) as r (environment_id, bytes) group by 2`,
    [tenantId, removedRuns.map((run) => run.environment_id), bytes],
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
  const runs = await tx.query<{ id: string }[]>(
    `select id from executions where tenant_id = $1 and removed_at is not null order by id limit $2 for update skip locked`,
    [tenantId, RUNS_AT_ONCE],
  );
  if (runs.length === 0) return false;
  const ids = runs.map(({ id }) => id);
  for (const [table, key] of LARGE_TABLES) {
    const [, deleted] = await tx.query<[unknown[], number]>(
      `delete from ${table} where execution_id = any ($1) and (${key}) in (
        select ${key} from ${table} where execution_id = any ($1) limit $2)`,
      [ids, ROWS_AT_ONCE],
    );
    if (deleted >= ROWS_AT_ONCE) return true;
  }
  await tx.query('delete from executions where tenant_id = $1 and id = any ($2)', [tenantId, ids]);
  return true;
}

/** Merges the totals of each environment into one row, which keeps reads fast. Skips locked rows. */
export async function foldTotals(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.query(
    `with taken as (
        delete from execution_totals where id in (
          select id from execution_totals where tenant_id = $1 limit 20000 for update skip locked)
        returning environment_id, runs, bytes)
      insert into execution_totals (tenant_id, environment_id, runs, bytes)
        select $1, environment_id, sum(runs), sum(bytes) from taken group by environment_id having sum(runs) <> 0`,
    [tenantId],
  );
}
