import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { type PlanNode, readOf } from '../../../test/growth/row-counts.js';
import { type ServerStock, startServerStock, type StockTenant } from '../../../test/support/server-stock.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { newId } from '../../common/ids.js';
import { ProtectedHosts } from './protected-hosts.js';

/** In each of two environments. */
const SERVERS = 3000;
const MOST_ROWS = 20;

let stock: ServerStock;
let tenant: StockTenant;
beforeAll(async () => {
  stock = await startServerStock();
  tenant = await stock.tenant('acme');
  const locked = newId();
  await queryAs(
    stock.database,
    tenant,
    `insert into environments (id, tenant_id, name, description, protected) values ($2, $1, 'locked', '', true)`,
    [tenant, locked],
  );
  for (const [environmentId, name] of [
    [tenant, 'open'],
    [locked, 'locked'],
  ])
    await queryAs(
      stock.database,
      tenant,
      `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags, host_key)
        select gen_random_uuid(), $1, $2, $3 || n, $3 || n || '.example', 22, 'deploy', $1, '{}',
            jsonb_build_object('type', 'ssh-ed25519', 'publicKey', $3 || n, 'fingerprint', 'SHA256:' || $3 || n)
          from generate_series(1, ${SERVERS}) n`,
      [tenant, environmentId, name],
    );
  await stock.database.query('analyze');
});
afterAll(() => stock.close());

/** What `look` answers, and what its statements read of servers and keys, as the application reads them. */
async function readingOf<T>(look: (tx: EntityManager) => Promise<T>) {
  return stock.units.run(tenant, async (tx) => {
    const before = stock.statements.length;
    const answer = await look(tx);
    const readings = [];
    for (const { sql, parameters } of stock.statements.slice(before)) {
      for (const options of ['analyze, buffers', 'generic_plan']) {
        const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(
          `explain (${options}, format json) ${sql}`,
          options === 'generic_plan' ? [] : parameters,
        );
        readings.push(readOf(row!['QUERY PLAN'][0].Plan, (table) => /^(servers|server_host_keys)$/.test(table)));
      }
    }
    return {
      answer,
      rows: Math.max(...readings.map(({ rows }) => rows)),
      whole: readings.flatMap(({ whole }) => whole),
    };
  });
}

const asked = (name: string, more: object = {}) => ({
  ...{ id: newId(), name, hostname: `${name}.example`, port: 22, lastReachedAddress: null },
  ...more,
});
const hosts = new ProtectedHosts();
const PIN = { type: 'ssh-ed25519', publicKey: 'locked7', fingerprint: 'SHA256:locked7' };

describe('whether a host is a protected one, among thousands of servers,', () => {
  it.each([
    ['by its name, however it is written', asked('LOCKED7'), 'address'],
    ['by where it was reached', asked('x', { lastReachedAddress: 'locked7.example' }), 'address'],
    ['by its host key', asked('y', { hostKey: PIN }), 'host_key'],
    ['where it is none', asked('open7'), undefined],
  ])('is found %s, by a few rows', async (_how, host, by) => {
    const { answer, rows, whole } = await readingOf((tx) => hosts.amongServers(tx, tenant, tenant, [host as never]));
    expect(answer?.by).toBe(by);
    expect(whole).toEqual([]);
    expect(rows).toBeLessThanOrEqual(MOST_ROWS);
  });

  it.each([
    ['by its address', { address: 'locked9.example', port: 22, fingerprints: [] }, 'address'],
    ['by a key that it shows', { address: null, port: 22, fingerprints: ['SHA256:locked9'] }, 'host_key'],
    ['where it is none', { address: 'open9.example', port: 22, fingerprints: ['SHA256:open9'] }, null],
  ] as const)('is found of what was reached %s, by a few rows', async (_how, shown, by) => {
    const { answer, rows, whole } = await readingOf((tx) => hosts.reached(tx, tenant, tenant, shown));
    expect(answer).toBe(by);
    expect(whole).toEqual([]);
    expect(rows).toBeLessThanOrEqual(MOST_ROWS);
  });

  it('is found of all servers of a large run at once', async () => {
    const many = Array.from({ length: 200 }, (_, n) => asked(`other${n}`));
    const found = await stock.units.run(tenant, (tx) =>
      hosts.amongServers(tx, tenant, tenant, [...many, asked('locked3')] as never),
    );
    expect(found).toMatchObject({ serverName: 'locked3', by: 'address' });
  });
});
