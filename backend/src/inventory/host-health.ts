import type { EntityManager } from 'typeorm';
import { rows, sql } from '../common/database/sql.js';

export interface HostHealth {
  environmentId: string;
  reachable: number;
  /** Hosts whose last check failed. */
  unreachable: number;
  /** Hosts without a check, or whose host key nobody accepted. */
  unknown: number;
}

/** Counts the enabled servers of environments by the result of their last check. Environments without any are absent. */
export const countHostHealth = (
  tx: EntityManager,
  tenantId: string,
  environmentIds: readonly string[],
): Promise<HostHealth[]> =>
  rows(
    tx,
    sql<HostHealth>`
      select environment_id as "environmentId", (count(*) filter (where state = 'reachable'))::int as reachable,
          (count(*) filter (where state not in ('reachable', 'unchecked', 'host_key_unknown', 'host_key_accepted')))::int as unreachable,
          (count(*) filter (where state in ('unchecked', 'host_key_unknown', 'host_key_accepted')))::int as unknown
        from servers where tenant_id = ${tenantId} and environment_id = any (${environmentIds}::uuid[]) and enabled
        group by environment_id`,
  );
