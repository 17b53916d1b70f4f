import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { type PlanNode, readOf } from '../../../test/growth/row-counts.js';
import { type ServerStock, startServerStock, type StockTenant } from '../../../test/support/server-database.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { newId } from '../../common/ids.js';
import { ProtectedHosts } from './protected-hosts.js';

const SERVERS = 3000;
const MAX_ROWS = 20;
const HOSTS = 1000;

let stock: ServerStock;
let tenant: StockTenant;
let rowsOfNew: number;
beforeAll(async () => {
  stock = await startServerStock();
  tenant = await stock.tenant('acme');
  await servers(tenant, tenant, 'open');
  await servers(tenant, await environment(tenant), 'locked');
  rowsOfNew = await rowsOfLargeRun();
  await stock.database.query('analyze');
});
afterAll(() => stock.close());

async function environment(of: StockTenant): Promise<string> {
  const id = newId();
  const sql = `insert into environments (id, tenant_id, name, description, protected) values ($2, $1, 'locked', '', true)`;
  await queryAs(stock.database, of, sql, [of, id]);
  return id;
}

async function servers(of: StockTenant, environmentId: string, name: string): Promise<void> {
  await queryAs(
    stock.database,
    of,
    `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags, host_key)
      select gen_random_uuid(), $1, $2, $3 || n, $3 || n || '.example', 22, 'deploy', $1, '{}',
          jsonb_build_object('type', 'ssh-ed25519', 'publicKey', $3 || n, 'fingerprint', 'SHA256:' || $3 || n)
        from generate_series(1, ${SERVERS}) n`,
    [of, environmentId, name],
  );
  const proof = (address: string, fingerprint: string) =>
    `insert into host_proofs (tenant_id, server_id, address, port, fingerprint, proved_at)
      select tenant_id, id, ${address}, port, ${fingerprint}, now() from servers where tenant_id = $1 and environment_id = $2`;
  for (const fingerprint of ["''", "host_key->>'fingerprint'"])
    await queryAs(stock.database, of, proof('address', fingerprint), [of, environmentId]);
}

/**
 * Returns the result of `look`, and the number of rows that its statements read from servers and keys. Runs as the
 * application role.
 */
async function readingOf<T>(look: (tx: EntityManager) => Promise<T>, of: StockTenant = tenant) {
  return stock.units.run(of, async (tx) => {
    const before = stock.statements.length;
    const answer = await look(tx);
    const readings = [];
    for (const { sql, parameters } of stock.statements.slice(before)) {
      for (const options of ['analyze, buffers', 'generic_plan']) {
        const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(
          `explain (${options}, format json) ${sql}`,
          options === 'generic_plan' ? [] : parameters,
        );
        readings.push(
          readOf(row!['QUERY PLAN'][0].Plan, (table) => /^(servers|server_host_keys|host_proofs)$/.test(table)),
        );
      }
    }
    return {
      answer,
      rows: Math.max(...readings.map(({ rows }) => rows)),
      whole: readings.flatMap(({ whole }) => whole),
    };
  });
}

const hostToTest = (name: string, more: object = {}) => ({
  ...{ id: newId(), name, hostname: `${name}.example`, port: 22, lastReachedAddress: null },
  ...more,
});
const hosts = new ProtectedHosts();
const PIN = { type: 'ssh-ed25519', publicKey: 'locked7', fingerprint: 'SHA256:locked7' };

async function rowsOfLargeRun(): Promise<number> {
  const many = Array.from({ length: HOSTS - 1 }, (_, n) => hostToTest(`open${n}`));
  const run = [...many, hostToTest('locked3')] as never;
  const { answer, rows } = await readingOf((tx) => hosts.findAmongServers(tx, tenant, tenant, run));
  expect(answer).toMatchObject([{ name: 'locked3', by: 'address' }]);
  return rows;
}

describe('detection of a protected host among thousands of servers', () => {
  it.each([
    ['by its name in any notation', hostToTest('LOCKED7'), 'address'],
    ['by its reached address', hostToTest('x', { lastReachedAddress: 'locked7.example' }), 'address'],
    ['by its host key', hostToTest('y', { hostKey: PIN }), 'host_key'],
    ['that is not protected', hostToTest('open7'), undefined],
  ])('finds a server %s by reading few rows', async (_how, host, by) => {
    const { answer, rows, whole } = await readingOf((tx) =>
      hosts.findAmongServers(tx, tenant, tenant, [host as never]),
    );
    expect(answer[0]?.by).toBe(by);
    expect(whole).toEqual([]);
    expect(rows).toBeLessThanOrEqual(MAX_ROWS);
  });

  it.each([
    ['by its address', { address: 'locked9.example', port: 22, fingerprints: [] }, 'address'],
    ['by a key that it shows', { address: null, port: 22, fingerprints: ['SHA256:locked9'] }, 'host_key'],
    ['that is not protected', { address: 'open9.example', port: 22, fingerprints: ['SHA256:open9'] }, null],
  ] as const)('finds a reached host %s by reading few rows', async (_how, reachedHost, by) => {
    const asked = { id: null, ...reachedHost };
    const { answer, rows, whole } = await readingOf((tx) => hosts.findByReachedHost(tx, tenant, tenant, asked));
    expect(answer?.by ?? null).toBe(by);
    expect(whole).toEqual([]);
    expect(rows).toBeLessThanOrEqual(MAX_ROWS);
  });

  it('reads few rows per host of a large run, also before PostgreSQL has statistics', async () => {
    for (const rows of [rowsOfNew, await rowsOfLargeRun()]) expect(rows).toBeLessThanOrEqual(MAX_ROWS * HOSTS);
  });

  it('reads no rows if no other environment is protected', async () => {
    const alone = await stock.tenant('alone');
    await servers(alone, alone, 'open');
    const many = Array.from({ length: 1000 }, (_, n) => hostToTest(`open${n}`));
    const { answer, rows } = await readingOf((tx) => hosts.findAmongServers(tx, alone, alone, many as never), alone);
    expect([answer, rows]).toEqual([[], 0]);
  });
});
