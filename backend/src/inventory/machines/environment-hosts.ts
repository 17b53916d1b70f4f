import { rows, sql } from '../../common/database/sql.js';
import type { EnvironmentUsage } from '../../environments/environment-use.js';
import { requestChecks } from './requested-checks.js';
import { protectionStates } from './protection-state.js';
import { collisionsWithin, collisionText, itemsOf } from './host-collisions.js';
import { confirmProofs } from './host-proofs.js';

export const hostsProvedElsewhere: EnvironmentUsage['hostsProvedElsewhere'] = async (tx, tenantId, environmentId) => {
  const found = await collisionsWithin(tx, tenantId, environmentId);
  return found.length === 0 ? null : { text: collisionText(found), servers: itemsOf(found) };
};

export const confirmHosts: EnvironmentUsage['confirmHosts'] = async (tx, tenantId, environmentId, by) => {
  const servers = await rows(
    tx,
    sql<{
      id: string;
    }>`select id from servers where tenant_id = ${tenantId} and environment_id = ${environmentId} order by id`,
  );
  const ids = servers.map(({ id }) => id);
  await confirmProofs(tx, tenantId, ids, by, 'proofs');
  const states = await protectionStates(tx, tenantId, ids);
  await requestChecks(
    tx,
    tenantId,
    ids.filter((id) => states.get(id) === 'not_proved'),
  );
};
