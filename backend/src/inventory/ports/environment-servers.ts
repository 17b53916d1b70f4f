import { rows, sql } from '../../common/database/sql.js';
import type { EnvironmentReferrer, ListEnvironmentReferrers } from '../../environments/environment-use.js';

export const findServersOfEnvironment: ListEnvironmentReferrers = (tx, tenantId, environmentId) =>
  rows(
    tx,
    sql<EnvironmentReferrer>`select 'server' as type, id, name from servers
      where tenant_id = ${tenantId} and environment_id = ${environmentId} order by name limit 20`,
  );
