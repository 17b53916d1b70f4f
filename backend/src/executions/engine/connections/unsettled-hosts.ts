import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../../common/database/sql.js';
import type { RunRef } from '../../record/run-head.js';

export async function findHostsWithUnknownResult(tx: EntityManager, ref: RunRef): Promise<Set<string>> {
  const found = await rows(
    tx,
    sql<{ server_id: string }>`select distinct server_id from host_results
      where execution_id = ${ref.executionId} and dispatch_id is not null and status = 'UNKNOWN'`,
  );
  return new Set(found.map(({ server_id }) => server_id));
}
