import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { conflict } from '../../common/errors/problem.js';
import { ENVIRONMENTS, callerMayApprove, callerMayRun } from '../../environments/environments.sql.js';
import { isInVisibleEnvironment } from '../../environments/visible-environment.js';

const NAMED = 20;

export interface ServersOfKey {
  keyId?: string;
  serverIds?: readonly string[];
  approve: boolean;
}

/**
 * @throws Problem 409 `grant_required`: names the servers without the required rights, as far as the caller may see
 *   them
 */
export async function requireKeyRights(
  tx: EntityManager,
  caller: Principal,
  { keyId, serverIds, approve }: ServersOfKey,
  refusal: string,
): Promise<void> {
  const by = { role: '$2', user: '$3', limits: '$6' };
  const rows = await tx.query<{ id: string; name: string; seen: boolean }[]>(
    `select s.id, s.name, ${isInVisibleEnvironment('s', by)} as seen
      from servers s join ${ENVIRONMENTS} e on e.tenant_id = s.tenant_id and e.id = s.environment_id
      where s.tenant_id = $1 and ($4::uuid is null or s.ssh_key_id = $4) and ($5::uuid[] is null or s.id = any ($5))
        and not (${callerMayRun('s', by)} and (not $7 or not e.protected or ${callerMayApprove('s', by)}))
      order by s.name`,
    [caller.tenantId, caller.role, caller.userId, keyId ?? null, serverIds ?? null, caller.limits, approve],
  );
  if (rows.length === 0) return;
  const named = rows.filter(({ seen }) => seen);
  const hidden = rows.length - named.length;
  const others = hidden > 0 ? ` You cannot see ${hidden} of them; ask an admin about those.` : '';
  throw conflict('grant_required', `You cannot change ${rows.length} server(s), so ${refusal}${others}`, {
    referrers: named.slice(0, NAMED).map(({ id, name }) => ({ type: 'server', id, name })),
    hiddenReferrers: hidden,
  });
}
