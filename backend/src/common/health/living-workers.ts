import type { EntityManager } from 'typeorm';
import { GONE_AFTER_SECONDS } from './worker-heartbeat.js';

export async function livingWorkers(tx: EntityManager): Promise<number> {
  const [row] = await tx.query<{ count: number }[]>(
    'select count(*)::int as count from worker_heartbeats where seen_at > now() - make_interval(secs => $1)',
    [GONE_AFTER_SECONDS],
  );
  return row?.count ?? 0;
}
