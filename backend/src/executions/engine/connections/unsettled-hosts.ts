import type { EntityManager } from 'typeorm';
import type { RunRef } from '../../record/run-head.js';

export async function hostsWithUnknownResult(tx: EntityManager, ref: RunRef): Promise<Set<string>> {
  const rows = await tx.query<{ server_id: string }[]>(
    `select distinct server_id from host_results
      where execution_id = $1 and dispatch_id is not null and status = 'UNKNOWN'`,
    [ref.executionId],
  );
  return new Set(rows.map(({ server_id }) => server_id));
}
