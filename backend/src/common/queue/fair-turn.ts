import { prepared } from '../database/prepared.js';
import type { EntityManager } from 'typeorm';

/** A job of queue `$1` that a worker could take now. */
export const WAITING = `name = $1 and state < 'active' and start_after <= now()`;

/**
 * Which turn a job of this tenant is in: the one after its latest job that still waits, and no earlier than the turn
 * that is being served. Jobs taken in the order of their turns are taken from the tenants one by one, so that one who
 * queues many does not keep the others waiting.
 */
export async function fairTurn(tx: EntityManager, queue: string, tenantId: string): Promise<number> {
  const [row] = await tx.query<{ turn: number }[]>(
    // Each by an index, at one of its ends: however many jobs wait.
    prepared(`select greatest(0,
        (select -priority from pgboss.job where ${WAITING} and not blocked order by priority desc limit 1),
        (select 1 - priority from pgboss.job where ${WAITING} and data->>'tenantId' = $2 order by priority limit 1))::int as turn`),
    [queue, tenantId],
  );
  return row?.turn ?? 0;
}

/** Whether a job with this content waits to be taken. */
export async function isWaiting(tx: EntityManager, queue: string, job: object): Promise<boolean> {
  const rows = await tx.query<unknown[]>(`select 1 from pgboss.job where ${WAITING} and data = $2::jsonb limit 1`, [
    queue,
    JSON.stringify(job),
  ]);
  return rows.length > 0;
}

/** Whether a job with this content is to be taken within so many seconds. */
export async function waitsWithin(tx: EntityManager, queue: string, job: object, seconds: number): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select 1 from pgboss.job
      where name = $1 and state < 'active' and start_after <= now() + $3 * interval '1 second' and data = $2::jsonb limit 1`,
    [queue, JSON.stringify(job), seconds],
  );
  return rows.length > 0;
}
