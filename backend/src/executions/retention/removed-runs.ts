import type { EntityManager } from 'typeorm';
import type { Totals } from './due-runs.js';

/** Rows of one table that one transaction deletes at most. */
const ROWS_AT_ONCE = 2_000;
/** Runs that one transaction deletes at most. */
const RUNS_AT_ONCE = 50;

/** What a run has many rows in, and what names one of them; the rest goes with the run's own row. */
const LARGE = [
  ['output_chunks', 'execution_id, seq'],
  ['execution_events', 'execution_id, seq'],
  ['host_results', 'execution_id, step_index, server_id'],
  ['inherited_results', 'execution_id, step_index, server_id'],
  ['dispatches', 'dispatch_id'],
  ['execution_hosts', 'execution_id, server_id'],
] as const;

/** Lets the rest of the transaction see removed runs. */
const showRemoved = (tx: EntityManager) => tx.query(`select set_config('app.removed_runs', 'shown', true)`);

/** Runs `work` with removed runs in sight, and hides them again for the rest of the transaction. */
export async function withRemovedRuns<T>(tx: EntityManager, work: () => Promise<T>): Promise<T> {
  await showRemoved(tx);
  const result = await work();
  await tx.query(`select set_config('app.removed_runs', '', true)`);
  return result;
}

/**
 * Takes runs out of everybody's sight, those of them that are finished and that nothing keeps at this moment. Whoever
 * holds one of them is not waited for: that one stays.
 * @returns which went, and how much that was
 */
export async function removeRuns(
  tx: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Totals & { ids: string[] }> {
  const removed = await withRemovedRuns(tx, async () => {
    const held = await tx.query<{ id: string }[]>(
      `select id from executions where tenant_id = $1 and id = any ($2) and finished_at is not null and removed_at is null
          and pinned_at is null order by id for update skip locked`,
      [tenantId, ids],
    );
    // By a statement of its own: it sees the reruns that were accepted before the rows were held.
    const [rows] = await tx.query<[{ id: string; environment_id: string; stored_bytes: string }[], number]>(
      `update executions e set removed_at = now(), version = version + 1
        where e.tenant_id = $1 and e.id = any ($2)
          and not exists (select from guard_keys g where g.tenant_id = $1 and g.execution_id = e.id)
          and not exists (select from executions c where c.tenant_id = $1 and c.parent_id = e.id and c.removed_at is null
            and c.id <> all ($2))
        returning e.id, e.environment_id, e.stored_bytes`,
      [tenantId, held.map(({ id }) => id)],
    );
    return rows;
  });
  const bytes = removed.map((run) => Number(run.stored_bytes));
  await tx.query(
    `insert into execution_totals (tenant_id, environment_id, runs, bytes)
      select $1, environment_id, -count(*), -sum(bytes) from unnest($2::uuid[], $3::bigint[]) as r (environment_id, bytes) group by 2`,
    [tenantId, removed.map((run) => run.environment_id), bytes],
  );
  return {
    ids: removed.map(({ id }) => id),
    runs: removed.length,
    bytes: bytes.reduce((sum, each) => sum + each, 0),
  };
}

/**
 * Deletes a portion of what is stored of removed runs. Several may do so at a time: each takes other runs.
 * @returns whether there may be more
 */
export async function deletePortion(tx: EntityManager, tenantId: string): Promise<boolean> {
  await showRemoved(tx);
  const runs = await tx.query<{ id: string }[]>(
    `select id from executions where tenant_id = $1 and removed_at is not null order by id limit $2 for update skip locked`,
    [tenantId, RUNS_AT_ONCE],
  );
  if (runs.length === 0) return false;
  const ids = runs.map(({ id }) => id);
  for (const [table, key] of LARGE) {
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

/** Adds up the sums of each environment, so that reading them stays cheap. Rows that others hold stay for the next time. */
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
