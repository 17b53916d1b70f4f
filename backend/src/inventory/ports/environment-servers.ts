import type { ReferrersOf } from '../../environments/environment-use.js';

export const serversOfEnvironment: ReferrersOf = (tx, tenantId, environmentId) =>
  tx.query(
    `select 'server' as type, id, name from servers where tenant_id = $1 and environment_id = $2 order by name limit 20`,
    [tenantId, environmentId],
  );
