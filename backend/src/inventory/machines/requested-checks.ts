import type { EntityManager } from 'typeorm';
import { affected, row, sql } from '../../common/database/sql.js';

/** A requested check that no worker starts within this time is dropped, in seconds. */
export const CHECK_REQUEST_LIFETIME_SECONDS = 3_600;

/**
 * Requests checks of servers as soon as possible. An earlier request keeps its time. @returns current time of the
 * database
 */
export async function requestChecks(tx: EntityManager, tenantId: string, ids: readonly string[]): Promise<Date> {
  const requestable = sql`(c.requested_at is null
    or c.requested_at <= now() - make_interval(secs => ${CHECK_REQUEST_LIFETIME_SECONDS}))`;
  await affected(
    tx,
    // Locks in the same order as changes of servers, to avoid deadlocks: server before schedule, servers by id.
    sql`with held as materialized (
        select s.id from servers s join server_checks c on c.tenant_id = s.tenant_id and c.server_id = s.id
          where s.tenant_id = ${tenantId} and s.id = any (${ids}) and ${requestable}
          order by s.id for no key update of s)
      update server_checks c set requested_at = now() from held h
        where c.tenant_id = ${tenantId} and c.server_id = h.id and ${requestable}`,
  );
  const now = await row(tx, sql<{ at: Date }>`select now() as at`);
  return now?.at ?? new Date();
}
