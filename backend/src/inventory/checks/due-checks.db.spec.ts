import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { createAppConnectionOptions } from '../../common/database/connection.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { newId } from '../../common/ids.js';
import { requestChecks } from '../machines/requested-checks.js';
import { claimDueChecks, releaseChecks, findTenantsWithDueChecks } from './due-checks.js';
import { ServerObservations } from './server-observations.js';

const PINNED = { type: 'ssh-ed25519', publicKey: 'AAAA', fingerprint: 'SHA256:a' };
const [acme, other] = [newId(), newId()].sort() as [string, string];
const environments = new Map<string, string>();

let database: TestDatabase;
let dataSource: DataSource;
let units: UnitOfWork;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await new DataSource(createAppConnectionOptions(database.appUrl, 4)).initialize();
  units = new UnitOfWork(dataSource);
  for (const tenantId of [acme, other]) {
    const id = newId();
    environments.set(tenantId, id);
    const ask = (sql: string, values: unknown[]) => queryAs(database, tenantId, sql, values);
    await ask('insert into tenants (id, name) values ($1, $2)', [tenantId, tenantId]);
    await ask(`insert into environments (id, tenant_id, name, description) values ($1, $2, 'live', '')`, [
      id,
      tenantId,
    ]);
    await ask(
      `insert into ssh_keys (id, tenant_id, name, type, public_key, fingerprint, sealed_private_key)
        values ($1, $2, 'key', 'ssh-ed25519', 'p', 'f', '')`,
      [id, tenantId],
    );
  }
});
afterEach(async () => {
  for (const tenantId of [acme, other]) {
    await queryAs(database, tenantId, 'delete from servers', []);
    await every(null, tenantId);
  }
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

async function register(count: number, secondsAgo: number, tenantId = acme, enabled = true): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  const ask = (sql: string, values: unknown[]) => queryAs(database, tenantId, sql, [ids, ...values]);
  await ask(
    `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, host_key, enabled)
      select x, $2, $3, x, 'web.invalid', 22, x, $3, $4, $5 from unnest($1::uuid[]) x`,
    [tenantId, environments.get(tenantId), PINNED, enabled],
  );
  await ask('update server_checks set due_from = now() - make_interval(secs => $2) where server_id = any ($1)', [
    secondsAgo,
  ]);
  return ids;
}
const every = (seconds: number | null, tenantId = acme) =>
  queryAs(database, tenantId, 'update environments set check_interval_seconds = $1', [seconds]);
const claim = (most: number, tenantId = acme) => units.run(tenantId, (tx) => claimDueChecks(tx, tenantId, most));
const request = (ids: string[]) => units.run(acme, (tx) => requestChecks(tx, acme, ids));
const tenants = () => units.runWithoutTenant(findTenantsWithDueChecks);
const schedule = (sql: string, ids: string[]) =>
  queryAs(database, acme, `update server_checks set ${sql} where server_id = any ($1)`, [ids]);
const change = (sql: string, ids: string[]) =>
  queryAs(database, acme, `update servers set ${sql} where id = any ($1)`, [ids]);
const overdueBy = async (id: string) =>
  (
    await queryAs<{ seconds: number }>(
      database,
      acme,
      'select extract(epoch from now() - due_from)::float8 as seconds from server_checks where server_id = $1',
      [id],
    )
  )[0]?.seconds ?? NaN;

describe('servers to be checked', () => {
  it('are those whose interval has passed, the longest due first', async () => {
    const [late] = await register(1, 500);
    const [later] = await register(1, 400);
    await register(1, 200);
    await register(1, 900, acme, false);
    expect(await tenants()).toEqual([]);
    await every(300);
    expect(await tenants()).toEqual([acme]);
    expect(await claim(1)).toEqual([late]);
    expect(await claim(10)).toEqual([later]);
    expect(await tenants()).toEqual([]);
  });

  it('are shared by concurrent workers, and never claimed twice', async () => {
    const ids = await register(300, 500);
    await every(60);
    const taken: string[] = [];
    while (taken.length < ids.length) {
      const claimed = await Promise.all([claim(20), claim(20), claim(20), claim(20)]);
      const claimedServers = claimed.flat();
      if (claimedServers.length === 0) break;
      taken.push(...claimedServers);
    }
    expect(taken.sort()).toEqual(ids.sort());
  });

  it('are claimable again after the lease of a killed worker, and immediately when a worker releases them', async () => {
    const ids = await register(2, 500);
    await every(60);
    expect((await claim(5)).sort()).toEqual(ids.sort());
    expect(await claim(5)).toEqual([]);
    await schedule(`leased_until = now() - interval '1 second'`, ids.slice(0, 1));
    await units.run(acme, (tx) => releaseChecks(tx, acme, ids.slice(1)));
    expect((await claim(5)).sort()).toEqual(ids.sort());
  });

  it('include requested ones, before all others, until the request expires after an hour', async () => {
    const [asked, old, off] = await register(3, 0);
    await register(1, 500);
    await every(60);
    await change('enabled = false', [off ?? '']);
    await request([asked ?? '', off ?? '']);
    expect(await claim(1)).toEqual([asked]);
    await every(null);
    await schedule(`requested_at = now() - interval '61 minutes'`, [old ?? '']);
    expect(await tenants()).toEqual([]);
    await request([old ?? '']);
    expect(await tenants()).toEqual([acme]);
    expect(await claim(5)).toEqual([old]);
  });

  it('belong to one tenant at a time', async () => {
    await register(2, 500, other);
    await every(60, other);
    const [mine] = await register(1, 500);
    await every(60);
    expect(await tenants()).toEqual([acme, other]);
    expect(await claim(10)).toEqual([mine]);
  });

  it('are due again after the interval, less a random part of it, after any observation', async () => {
    const ids = await register(40, 5_000);
    await every(1_000);
    await request(ids.slice(0, 1));
    const check = {
      at: new Date(0).toISOString(),
      state: 'unreachable' as const,
      message: 'x',
      source: 'run' as const,
    };
    await new ServerObservations(units).storeAll(
      acme,
      ids.map((serverId) => ({
        ...{ serverId, hostname: 'web.invalid', port: 22, pinned: [PINNED], check },
        ...{ reachedAddress: null, latencyMs: null, seen: null, proved: [] },
      })),
    );
    expect(await tenants()).toEqual([]);
    const since = await Promise.all(ids.map(overdueBy));
    expect(Math.min(...since)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...since)).toBeLessThan(160);
    expect(new Set(since.map((seconds) => Math.round(seconds))).size).toBeGreaterThan(10);
  });

  it('follow their servers to other environments, through disabling and enabling, and are deleted with them', async () => {
    const ids = await register(3, 500);
    const [moved, off, gone] = ids as [string, string, string];
    await every(60);
    const elsewhere = newId();
    await queryAs(
      database,
      acme,
      `insert into environments (id, tenant_id, name, description) values ($1, $2, 'elsewhere', '')`,
      [elsewhere, acme],
    );
    await queryAs(
      database,
      acme,
      'update servers set environment_id = case when id = $1 then $2 else environment_id end, enabled = id <> $3',
      [moved, elsewhere, off],
    );
    await change('enabled = enabled, username = username', ids);
    expect(await claim(5)).toEqual([gone]);
    await queryAs(database, acme, 'delete from servers where id = $1', [gone]);
    await queryAs(database, acme, 'update environments set check_interval_seconds = 60', []);
    expect(await claim(5)).toEqual([moved]);
    await change('enabled = true', [off]);
    expect(await claim(5)).toEqual([off]);
    expect(await queryAs(database, acme, 'select server_id from server_checks', [])).toHaveLength(2);
    await queryAs(database, acme, 'delete from servers', []);
    await queryAs(database, acme, 'delete from environments where id = $1', [elsewhere]);
  });

  it('are found by an index among thousands', async () => {
    await register(5_000, 10);
    const wanted = await register(3, 500);
    await every(60);
    await queryAs(database, acme, 'analyze server_checks', []).catch(() => database.query('analyze server_checks'));
    const plan = await units.run(acme, async (tx) => {
      const rows = await tx.query<{ 'QUERY PLAN': string }[]>(
        `explain select server_id from server_checks c where c.tenant_id = $1 and c.environment_id = $2 and c.enabled
          and c.due_from <= now() - make_interval(secs => 60) order by c.due_from limit 20`,
        [acme, environments.get(acme)],
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plan).toContain('server_checks_due');
    expect(plan).toMatch(/Index Cond: .*due_from/);
    expect((await claim(20)).sort()).toEqual(wanted.sort());
  });
});
