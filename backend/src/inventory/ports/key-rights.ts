import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { grantRequiredProblem } from '../../common/errors/problem.js';
import {
  mayApproveSql,
  ENVIRONMENTS_SQL,
  mayRunSql,
  isInVisibleEnvironmentSql,
} from '../../environments/environments.sql.js';

const MAX_NAMED_SERVERS = 20;
const MAX_NAMED_ENVIRONMENTS = 5;

export interface KeyServerSelection {
  keyId?: string;
  serverIds?: readonly string[];
  approve: boolean;
}

/**
 * @throws Problem 403 `grant_required`: names the servers without the required rights, as far as the caller may see
 *   them
 */
export async function requireKeyRights(
  tx: EntityManager,
  caller: Principal,
  { keyId, serverIds, approve }: KeyServerSelection,
  refusal: string,
): Promise<void> {
  const server = sql.raw('s');
  const refused = await rows(
    tx,
    sql<{ id: string; name: string; environment: string; seen: boolean }>`
      select s.id, s.name, e.name as environment, ${isInVisibleEnvironmentSql(server, caller)} as seen
        from servers s join ${ENVIRONMENTS_SQL} e on e.tenant_id = s.tenant_id and e.id = s.environment_id
        where s.tenant_id = ${caller.tenantId}
          ${keyId === undefined ? sql.none : sql`and s.ssh_key_id = ${keyId}`}
          ${serverIds === undefined ? sql.none : sql`and s.id = any (${serverIds}::uuid[])`}
          and not (${mayRunSql(server, caller)} ${approve ? sql`and (not e.protected or ${mayApproveSql(server, caller)})` : sql.none})
        order by s.name`,
  );
  if (refused.length === 0) return;
  const named = refused.filter(({ seen }) => seen);
  const hidden = refused.length - named.length;
  const environments = [...new Set(named.map(({ environment }) => `"${environment}"`))].slice(
    0,
    MAX_NAMED_ENVIRONMENTS,
  );
  const where = environments.length > 0 ? ` in ${environments.join(', ')}` : '';
  const others = hidden > 0 ? ` You cannot see ${hidden} of them.` : '';
  throw grantRequiredProblem(
    `You cannot change ${refused.length} server(s)${where}, so ${refusal}${others} Ask an admin for it.`,
    {
      referrers: named.slice(0, MAX_NAMED_SERVERS).map(({ id, name }) => ({ type: 'server', id, name })),
      hiddenReferrers: hidden,
    },
  );
}
