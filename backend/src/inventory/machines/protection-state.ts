import type { EntityManager } from 'typeorm';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import { ENVIRONMENTS_SQL } from '../../environments/environments.sql.js';

export const PROTECTION_STATES = ['environment_open', 'not_proved', 'proved', 'confirmed'] as const;
export type ProtectionState = (typeof PROTECTION_STATES)[number];

/**
 * Expression for the protection state of a row of `servers`. A confirmed host name does not identify a machine, because
 * its address was never seen.
 */
export const protectionStateSql = (server: Sql): Sql => sql`(
  select case when not e.protected then 'environment_open' when p.known is null then 'not_proved'
      when p.confirmed then 'confirmed' else 'proved' end
    from ${ENVIRONMENTS_SQL} e left join lateral (
      select true as known, bool_or(p.confirmed_at is not null) as confirmed from host_proofs p
        where e.protected and p.tenant_id = ${server}.tenant_id and p.server_id = ${server}.id
          and (p.proved_at is not null or p.fingerprint <> '' or p.address ~ '^[0-9.]+$' or p.address like '%:%')
        having count(*) > 0) p on true
    where e.tenant_id = ${server}.tenant_id and e.id = ${server}.environment_id)`;

export async function readProtectionStates(
  tx: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, ProtectionState>> {
  if (ids.length === 0) return new Map();
  const states = await rows(
    tx,
    sql<{ id: string; state: ProtectionState }>`select s.id, ${protectionStateSql(sql.raw('s'))} as state from servers s
      where s.tenant_id = ${tenantId} and s.id = any (${ids}::uuid[])`,
  );
  return new Map(states.map(({ id, state }) => [id, state]));
}
