import type { EntityManager } from 'typeorm';
import { allOf, StatementValues } from '../../common/database/statement-values.js';
import type { ListOrder } from '../../common/http/paging/sorted-page.js';
import { COUNTS_DEPARTED_SQL } from './protected-hosts.sql.js';

/**
 * How a server left its protected environment or its host.
 * - `readdressed`: its address, port or jump server changed
 * - `forgotten`: its proofs were forgotten
 */
export const DEPARTURES = ['moved', 'deleted', 'readdressed', 'forgotten'] as const;
export type Departure = (typeof DEPARTURES)[number];

export interface DepartedRow {
  id: string;
  server_id: string;
  server_name: string;
  how: Departure;
  left_by: string | null;
  left_by_name: string | null;
  left_at: Date;
  counts_until: Date | null;
  kept_by_name: string | null;
  proofs: { address: string; port: number; fingerprint: string }[];
}

const MAX_PROOFS = 20;

const COLUMNS = `d.id, d.server_id, d.server_name, d.how, d.left_by, d.left_by_name, d.left_at, d.counts_until, d.kept_by_name,
  array(select jsonb_build_object('address', p.address, 'port', p.port, 'fingerprint', p.fingerprint) from departed_proofs p
    where p.tenant_id = d.tenant_id and p.departure_id = d.id order by p.fingerprint, p.address, p.port limit ${MAX_PROOFS}) as proofs`;

export const departedServers = (
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  order: ListOrder,
  limit: number,
): Promise<(DepartedRow & { sort_key: string | null })[]> => {
  const values = new StatementValues(tenantId, environmentId);
  const conditions = [
    'd.tenant_id = $1 and d.environment_id = $2',
    COUNTS_DEPARTED_SQL('d'),
    ...order.afterCursor(values),
  ];
  return tx.query(
    `select ${COLUMNS}, ${order.key} as sort_key from departed_servers d
      where ${allOf(conditions)} order by ${order.orderBy} limit ${values.of(limit)}`,
    values.list,
  );
};

export async function lockDeparture(
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
  id: string,
): Promise<DepartedRow | undefined> {
  const [row] = await tx.query<DepartedRow[]>(
    `select ${COLUMNS} from departed_servers d
      where d.tenant_id = $1 and d.environment_id = $2 and d.id = $3 and ${COUNTS_DEPARTED_SQL('d')} for update of d`,
    [tenantId, environmentId, id],
  );
  return row;
}

export const releaseDeparture = (tx: EntityManager, tenantId: string, id: string): Promise<unknown> =>
  tx.query('delete from departed_servers where tenant_id = $1 and id = $2', [tenantId, id]);

export const keepDeparture = (tx: EntityManager, tenantId: string, id: string, by: string): Promise<unknown> =>
  tx.query('update departed_servers set counts_until = null, kept_by_name = $3 where tenant_id = $1 and id = $2', [
    tenantId,
    id,
    by,
  ]);

export async function hasDeparted(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean> {
  const rows = await tx.query<unknown[]>(
    `select from departed_servers d where d.tenant_id = $1 and d.environment_id = $2 and ${COUNTS_DEPARTED_SQL('d')} limit 1`,
    [tenantId, environmentId],
  );
  return rows.length > 0;
}
