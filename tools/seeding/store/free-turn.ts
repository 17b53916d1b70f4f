import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../../backend/src/common/database/sql.js';
import { CATALOGUE } from '../invent/catalogue.js';
import { environmentName, keyName, planName } from '../invent/landscape.js';

/** Returns the number of this seeding: the first number whose names are not used in the tenant. */
export async function findFreeTurn(tx: EntityManager, tenantId: string, environments: number): Promise<number> {
  const used = await rows(
    tx,
    sql<{ name: string }>`select lower(name) as name from environments where tenant_id = ${tenantId}
      union select lower(name) from plans where tenant_id = ${tenantId}
      union select lower(name) from ssh_keys where tenant_id = ${tenantId}
      union select regexp_replace(lower(name), '-[a-z]+-[0-9]+$', '') from servers where tenant_id = ${tenantId}`,
  );
  const taken = new Set(used.map(({ name }) => name));
  for (let turn = 1; ; turn += 1) {
    const names = [
      ...Array.from({ length: environments }, (_, index) => environmentName(index, turn)),
      ...CATALOGUE.map((sketch) => planName(sketch, turn)),
      keyName(turn),
    ];
    if (!names.some((name) => taken.has(name.toLowerCase()))) return turn;
  }
}
