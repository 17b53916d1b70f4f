import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { migrateDatabase } from '../../common/database/boot/migrate.js';
import { newId } from '../../common/ids.js';

let database: TestDatabase;
const tenantId = newId();

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Tables of servers as in the previous version. */
const BEFORE = `
  drop table shared_host_keys;
  drop index servers_reached_address, servers_machine;
  alter table servers drop column last_reached_address, drop column known_double;
  alter table execution_hosts drop column reached_address;
  delete from runward_migrations where name = 'HostMachines20261123120000'`;

async function makeServers(hostnames: readonly string[]): Promise<void> {
  const [environmentId, keyId] = [newId(), newId()];
  const named = (sql: string, values: unknown[]) => database.query(sql, values);
  await named('insert into tenants (id, name) values ($1, $2)', [tenantId, 'acme']);
  await named(`select set_config('app.tenant', $1, false)`, [tenantId]);
  await named(`insert into environments (id, tenant_id, name, description) values ($1, $2, 'live', '')`, [
    environmentId,
    tenantId,
  ]);
  await named(
    `insert into ssh_keys (id, tenant_id, name, type, public_key, fingerprint, sealed_private_key)
      values ($1, $2, 'key', 'ssh-ed25519', 'p', 'f', '')`,
    [keyId, tenantId],
  );
  for (const [index, hostname] of hostnames.entries())
    await named(
      `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
        values ($1, $2, $3, $4, $5, 22, 'a', $6, '{}')`,
      [newId(), tenantId, environmentId, `server-${index}`, hostname, keyId],
    );
}

describe('an upgrade from a version that allowed duplicate machines', () => {
  it('keeps all servers, marks all duplicates of a machine but the first, and rejects new ones', async () => {
    await database.query(BEFORE);
    await makeServers([
      '10.0.0.1',
      'Web',
      '::ffff:10.0.0.1',
      'web.',
      '10.0.0.2',
      '::1%1',
      '0:0::1',
      'fe80::1%eth0',
      '',
    ]);
    await migrateDatabase(database.url, null);
    await database.query(`select set_config('app.tenant', $1, false)`, [tenantId]);
    const rows = await database.query<{ name: string; double: boolean }>(
      'select name, known_double as double from servers order by name',
    );
    expect(rows).toHaveLength(9);
    expect(rows.filter(({ double }) => double).map(({ name }) => name)).toEqual(['server-2', 'server-3', 'server-6']);
    await expect(
      database.query(
        `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
          select $1, tenant_id, environment_id, 'new', '10.0.0.1', port, username, ssh_key_id, tags from servers where name = 'server-0'`,
        [newId()],
      ),
    ).rejects.toThrow('servers_machine');
    const forced = await database.query(
      `select 1 from pg_class where relname = 'servers' and relrowsecurity and relforcerowsecurity`,
    );
    expect(forced).toHaveLength(1);
  });
});
