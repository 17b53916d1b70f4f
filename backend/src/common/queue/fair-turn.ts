import type { EntityManager } from 'typeorm';
import { row, sql, type Sql } from '../database/sql.js';

/** Condition on a row of `pgboss.job`: the job is in this queue and a worker could take it now. */
export const isWaitingInSql = (queue: string): Sql =>
  sql`name = ${queue} and state < 'active' and start_after <= now()`;

/**
 * Returns the turn of a tenant's new job: one after the tenant's latest waiting job, but not before the turn that is
 * being served. Workers take jobs in order of turns, so tenants alternate, and a tenant with many jobs does not delay
 * others.
 */
export async function computeFairTurn(tx: EntityManager, queue: string, tenantId: string): Promise<number> {
  const next = await row(
    tx,
    // Each subquery reads only one end of an index, however many jobs wait.
    sql.prepared<{ turn: number }>`select greatest(0,
        (select -priority from pgboss.job where ${isWaitingInSql(queue)} and not blocked order by priority desc limit 1),
        (select 1 - priority from pgboss.job where ${isWaitingInSql(queue)} and data->>'tenantId' = ${tenantId} order by priority limit 1))::int as turn`,
  );
  return next?.turn ?? 0;
}

export async function isJobWaiting(tx: EntityManager, queue: string, job: object): Promise<boolean> {
  const found = await row(
    tx,
    sql`select 1 from pgboss.job where ${isWaitingInSql(queue)} and data = ${JSON.stringify(job)}::jsonb limit 1`,
  );
  return found !== undefined;
}

/** Whether a job with this content waits and is due within this number of seconds. */
export async function isJobAmongFirst(
  tx: EntityManager,
  queue: string,
  job: object,
  seconds: number,
): Promise<boolean> {
  const found = await row(
    tx,
    sql`select 1 from pgboss.job
      where name = ${queue} and state < 'active' and start_after <= now() + ${seconds} * interval '1 second'
        and data = ${JSON.stringify(job)}::jsonb limit 1`,
  );
  return found !== undefined;
}
