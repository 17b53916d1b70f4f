import type { Installation } from './installation.js';
import { queryAs } from './table-contents.js';

interface ManyServers {
  environmentId: string;
  keyId: string;
  name: string;
  count: number;
}

/** Inserts servers without accepted host keys, so that nothing connects to them. */
export const insertServers = (
  { database }: Pick<Installation, 'database'>,
  tenantId: string,
  { environmentId, keyId, name, count }: ManyServers,
) =>
  queryAs(
    database,
    tenantId,
    `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
      select gen_random_uuid(), $1, $2, $4 || n, $4 || n || '.example.test', 22, 'deploy', $3, '{}'
        from generate_series(1, $5::int) n`,
    [tenantId, environmentId, keyId, name, count],
  );
