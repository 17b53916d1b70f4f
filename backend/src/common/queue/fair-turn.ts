import { prepared } from '../database/prepared.js';
import type { EntityManager } from 'typeorm';

/** SQL condition: the job is in queue `$1` and a worker could take it now. */
export const WAITING_JOBS = `name = $1 and state < 'active' and start_after <= now()`;

/**
 * Returns the turn of a tenant's new job: one after the tenant's latest waiting job, but not before the turn that is
 * being served. Workers take jobs in order of turns, so tenants alternate, and a tenant with many jobs does not delay
 * others.
 */
export async function fairTurn(tx: EntityManager, queue: string, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ turn: number }[]>(
    // Each subquery reads only one end of an index, however many jobs wait.
    prepared(`select greatest(0,
        (select -priority from pgboss.job where ${WAITING_JOBS} and not blocked order by priority desc limit 1),
        (select 1 - priority from pgboss.job where ${WAITING_JOBS} and data->>'tenantId' = $2 order by priority limit 1))::int as turn`),
    [queue, tenantId],
  );
  return row?.turn ?? 0;
}

export async function isWaiting(tx: EntityManager, queue: string, job: object): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select 1 from pgboss.job where ${WAITING_JOBS} and data = $2::jsonb limit 1`,
    [queue, JSON.stringify(job)],
  );
  return rows.length > 0;
}

/** Whether a job with this content waits and is due within this number of seconds. */
export async function isAmongFirst(tx: EntityManager, queue: string, job: object, seconds: number): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select 1 from pgboss.job
      where name = $1 and state < 'active' and start_after <= now() + $3 * interval '1 second' and data = $2::jsonb limit 1`,
    [queue, JSON.stringify(job), seconds],
  );
  return rows.length > 0;
}
