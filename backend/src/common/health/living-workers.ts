import type { EntityManager } from 'typeorm';
import { row, sql } from '../database/sql.js';
import { WORKER_GONE_AFTER_SECONDS } from './worker-heartbeat.js';

export async function livingWorkers(tx: EntityManager): Promise<number> {
  const living = await row(
    tx,
    sql<{ count: number }>`select count(*)::int as count from worker_heartbeats
      where seen_at > now() - make_interval(secs => ${WORKER_GONE_AFTER_SECONDS})`,
  );
  return living?.count ?? 0;
}
