import { rows, sql } from '../../common/database/sql.js';
import type { EnvironmentUsage } from '../../environments/environment-use.js';
import { requestChecks } from './requested-checks.js';
import { readProtectionStates } from './protection-state.js';
import { findCollisionsInEnvironment, formatCollisions, toOtherServerItems } from './host-collisions.js';
import { confirmHostProofs } from './host-proofs.js';

export const hostsProvedElsewhere: EnvironmentUsage['hostsProvedElsewhere'] = async (tx, tenantId, environmentId) => {
  const found = await findCollisionsInEnvironment(tx, tenantId, environmentId);
  return found.length === 0 ? null : { text: formatCollisions(found), servers: toOtherServerItems(found) };
};

export const confirmHosts: EnvironmentUsage['confirmHosts'] = async (tx, tenantId, environmentId, by) => {
  const servers = await rows(
    tx,
    sql<{
      id: string;
    }>`select id from servers where tenant_id = ${tenantId} and environment_id = ${environmentId} order by id`,
  );
  const ids = servers.map(({ id }) => id);
  await confirmHostProofs(tx, tenantId, ids, by, 'proofs');
  const states = await readProtectionStates(tx, tenantId, ids);
  await requestChecks(
    tx,
    tenantId,
    ids.filter((id) => states.get(id) === 'not_proved'),
  );
};
