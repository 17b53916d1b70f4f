import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { createAppConnectionOptions } from '../../common/database/connection.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { newId } from '../../common/ids.js';
import type { ServerCheck } from '../fields/server.entity.js';
import { ServerObservations, type ServerObservation } from './server-observations.js';

interface KnownState {
  state: string;
  stateSince: Date | null;
  checkedAt: Date | null;
  latencyMs: number | null;
}

const PINNED = { type: 'ssh-ed25519', publicKey: 'AAAA', fingerprint: 'SHA256:a' };
const HOST = { hostname: 'web.invalid', port: 22, pinned: [PINNED] };
const tenantId = newId();

let database: TestDatabase;
let dataSource: DataSource;
let sightings: ServerObservations;
let environmentId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await new DataSource(createAppConnectionOptions(database.appUrl, 2)).initialize();
  sightings = new ServerObservations(new UnitOfWork(dataSource));
  environmentId = newId();
  const ask = (sql: string, values: unknown[]) => queryAs(database, tenantId, sql, values);
  await ask('insert into tenants (id, name) values ($1, $2)', [tenantId, 'acme']);
  await ask(`insert into environments (id, tenant_id, name, description) values ($1, $2, 'live', '')`, [
    environmentId,
    tenantId,
  ]);
  await ask(
    `insert into ssh_keys (id, tenant_id, name, type, public_key, fingerprint, sealed_private_key)
      values ($1, $2, 'key', 'ssh-ed25519', 'p', 'f', '')`,
    [environmentId, tenantId],
  );
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

async function register(lastCheck: ServerCheck | null = null): Promise<string> {
  const id = newId();
  await queryAs(
    database,
    tenantId,
    `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, host_key, last_check)
      values ($1, $2, $3, $8, $4, $5, $8, $3, $6, $7)`,
    [id, tenantId, environmentId, HOST.hostname, HOST.port, PINNED, lastCheck, id],
  );
  return id;
}

const knownOf = async (id: string) => {
  const sql = `select state, state_since as "stateSince", checked_at as "checkedAt", latency_ms as "latencyMs" from servers
    where id = $1`;
  return (await queryAs<KnownState>(database, tenantId, sql, [id]))[0];
};

const time = (second: number) => new Date(Date.UTC(2026, 10, 24, 12, 0, second));

async function saw(
  serverId: string,
  second: number,
  state: ServerCheck['state'],
  more: Partial<ServerObservation> = {},
): Promise<KnownState | undefined> {
  const check: ServerCheck = {
    at: time(second).toISOString(),
    state,
    message: 'x',
    source: 'run',
    executionId: newId(),
  };
  const nothing = { reachedAddress: null, latencyMs: null, seen: null, proved: [] };
  await sightings.storeAll(tenantId, [{ ...HOST, serverId, check, ...nothing, ...more }]);
  return knownOf(serverId);
}

describe('the state of a server', () => {
  it('holds since the first of consecutive runs with that finding, and keeps the latency of the last login', async () => {
    const id = await register();
    const [first, second] = [time(1), time(2)];
    const reached = { reachedAddress: '10.0.0.1', latencyMs: 12 };
    const found = { state: 'reachable', stateSince: first, latencyMs: 12 };
    expect(await saw(id, 1, 'reachable', reached)).toEqual({ ...found, checkedAt: first });
    expect(await saw(id, 2, 'reachable', { latencyMs: 7 })).toEqual({ ...found, checkedAt: second, latencyMs: 7 });
    expect(await saw(id, 3, 'unreachable')).toEqual({
      state: 'unreachable',
      stateSince: time(3),
      checkedAt: time(3),
      latencyMs: 7,
    });
    expect(await saw(id, 4, 'reachable')).toMatchObject({ state: 'reachable', stateSince: time(4) });
  });

  it('is not changed by an earlier observation, nor by one at another address or with another pin', async () => {
    const id = await register();
    const known = await saw(id, 5, 'reachable');
    expect(await saw(id, 4, 'unreachable')).toEqual(known);
    expect(await saw(id, 6, 'unreachable', { hostname: 'old.invalid' })).toEqual(known);
    expect(await saw(id, 6, 'unreachable', { pinned: [{ ...PINNED, fingerprint: 'SHA256:b' }] })).toEqual(known);
  });

  it('has a known value, and a time unless the server was never contacted', async () => {
    const id = await register();
    for (const change of [`state = 'fine', state_since = now(), checked_at = now()`, `state = 'reachable'`])
      await expect(queryAs(database, tenantId, `update servers set ${change} where id = $1`, [id])).rejects.toThrow(
        'servers_state',
      );
  });
});
