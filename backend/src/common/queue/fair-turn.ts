import { prepared } from '../database/prepared.js';
import type { EntityManager } from 'typeorm';

/** SQL: a job of queue `$1` that a worker could take now. */
export const WAITING_JOBS = `name = $1 and state < 'active' and start_after <= now()`;

/**
 * Returns the turn of a tenant's new job: one after its latest waiting job, and not before the turn that is being
 * served. Jobs taken in order of turns alternate between tenants, so a tenant with many jobs does not delay other
 * tenants.
 */
export async function fairTurn(tx: EntityManager, queue: string, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ turn: number }[]>(
    // Each subquery reads one end of an index, for any number of waiting jobs.
    prepared(`select greatest(0,
        (select -priority from pgboss.job where ${WAITING_JOBS} and not blocked order by priority desc limit 1),
        (select 1 - priority from pgboss.job where ${WAITING_JOBS} and data->>'tenantId' = $2 order by priority limit 1))::int as turn`),
    [queue, tenantId],
  );
  return row?.turn ?? 0;
}

/** Whether a job with this content is waiting. */
export async function isWaiting(tx: EntityManager, queue: string, job: object): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select 1 from pgboss.job where ${WAITING_JOBS} and data = $2::jsonb limit 1`,
    [queue, JSON.stringify(job)],
  );
  return rows.length > 0;
}

/** Whether a waiting job with this content is due within this number of seconds. */
export async function isAmongFirst(tx: EntityManager, queue: string, job: object, seconds: number): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select 1 from pgboss.job
      where name = $1 and state < 'active' and start_after <= now() + $3 * interval '1 second' and data = $2::jsonb limit 1`,
    [queue, JSON.stringify(job), seconds],
  );
  return rows.length > 0;
}
