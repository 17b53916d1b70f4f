import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnitOfWork } from '../src/common/database/unit-of-work.js';
import { type Installation, startInstallation, type TestMember } from './support/installation.js';
import { makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { type SeededRandom, seededRandom } from './support/seeded-random.js';
import { queryAs, tenantTables } from './support/table-contents.js';

const TENANTS = 20;
const REQUESTS = 2_000;
/** Number of interleaved units of work whose query has no tenant filter. */
const CALL_COUNT = 400;
const CONNECTIONS = 5;
/**
 * Number of concurrent requests and units of work. There are far fewer connections, so they constantly change tenants.
 */
const AT_ONCE = 40;
/** Maximum time until a client disconnects, in ms. It is about the duration of a response. */
const PATIENCE_MS = 25;

/** Word with the tenant's number. Every text of the tenant's records contains it. */
const TENANT_WORD = /quartz\d\d/g;
const tenantWord = (tenant: number) => `quartz${String(tenant).padStart(2, '0')}`;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

let runward: Installation;
let units: UnitOfWork;
let tables: string[];
const members: TestMember[] = [];
const records: OneOfEach[] = [];

const responses: { tenant: number; what: string; text: string }[] = [];
const statuses = new Map<string, number>();
const count = (what: string) => statuses.set(what, (statuses.get(what) ?? 0) + 1);

beforeAll(async () => {
  runward = await startInstallation({}, { poolSize: CONNECTIONS });
  units = runward.app.get(UnitOfWork, { strict: false });
  tables = await tenantTables(runward.database);
  for (let tenant = 0; tenant < TENANTS; tenant += 1) {
    const member = await runward.tenant(tenantWord(tenant));
    members.push(member);
    records.push(await makeOneOfEach(member, tenantWord(tenant)));
  }
});
afterAll(() => runward.close());

interface Call {
  method: string;
  path: string;
  body?: string;
  headers?: Record<string, string>;
  /** Allowed statuses. There are several if concurrent requests of the tenant affect the result. */
  expected: number[];
}

const LISTS = [
  '/api/environments',
  '/api/ssh-keys',
  '/api/inventory/servers',
  '/api/plans',
  '/api/executions',
  '/api/tokens',
  '/api/members',
  '/api/audit-logs?limit=20',
  '/api/auth/me',
];

const pathsOf = (own: OneOfEach): string[] => [
  `/api/environments/${own.environmentId}`,
  `/api/ssh-keys/${own.sshKeyId}`,
  `/api/inventory/servers/${own.serverId}`,
  `/api/plans/${own.planId}`,
  `/api/executions/${own.executionId}?wait=0`,
  `/api/executions/${own.executionId}/results`,
];

/** Returns a random request of the tenant: a read, a write, or a request that is refused. */
function drawCall(random: SeededRandom, tenant: number, number: number): Call {
  const own = records[tenant] as OneOfEach;
  const foreign = records[(tenant + 1 + random.int(TENANTS - 1)) % TENANTS] as OneOfEach;
  const word = tenantWord(tenant);
  const json = (method: string, path: string, body: object, ...expected: number[]): Call => ({
    method,
    path,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    expected,
  });
  const get = (path: string, ...expected: number[]): Call => ({ method: 'GET', path, expected });
  const kinds: (() => Call)[] = [
    () => get(random.pick(LISTS), 200),
    () => get(random.pick(LISTS), 200),
    () => get(random.pick(pathsOf(own)), 200),
    () => get(random.pick(pathsOf(own)), 200),
    () => get(random.pick(pathsOf(foreign)), 404),
    () =>
      json(
        'POST',
        '/api/plans',
        { name: word, environmentId: foreign.environmentId, steps: [{ key: 'a', command: 'true' }] },
        404,
      ),
    () => json('PATCH', `/api/environments/${foreign.environmentId}`, { description: word }, 404),
    () => ({ method: 'DELETE', path: `/api/plans/${foreign.planId}`, expected: [404] }),
    () => json('POST', '/api/environments', { name: `${word} ${number}` }, 201),
    () => json('PATCH', `/api/environments/${own.environmentId}`, { description: `${word} ${number}` }, 200),
    () => json('POST', '/api/environments', { name: `${word}-environment` }, 409),
    () => ({ method: 'DELETE', path: `/api/ssh-keys/${own.sshKeyId}`, expected: [409] }),
    () => json('POST', '/api/environments', { name: word, unknown: true }, 400),
    () => ({ ...json('POST', '/api/plans', {}, 400), body: `{"name": "${word}", ` }),
    () => ({
      ...json('PATCH', `/api/environments/${own.environmentId}`, { description: word }, 412),
      headers: { 'content-type': 'application/json', 'if-match': '"0"' },
    }),
  ];
  return random.pick(kinds)();
}

/**
 * Sends a request and records the response.
 * @param patience time after which the client disconnects, in ms; null = never
 */
async function send(tenant: number, call: Call, abortAfterMs: number | null): Promise<void> {
  const abort = new AbortController();
  const timer = abortAfterMs === null ? null : setTimeout(() => abort.abort(), abortAfterMs);
  const what = `${call.method} ${call.path}`;
  try {
    const response = await fetch(runward.url + call.path, {
      method: call.method,
      body: call.body,
      headers: { authorization: `Bearer ${members[tenant]?.token}`, ...call.headers },
      signal: abort.signal,
    });
    const text = await response.text();
    count(String(response.status));
    responses.push({ tenant, what, text });
    expect({ what, status: response.status, expected: call.expected.includes(response.status), text }).toMatchObject({
      expected: true,
    });
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    count('aborted');
  } finally {
    if (timer) clearTimeout(timer);
  }
}

/** Reads whole tables without a filter. Some units fail on purpose, and must reset their tenant. */
async function readUnfiltered(random: SeededRandom, tenant: number): Promise<void> {
  const [table, fault] = [random.pick(tables), random.int(5)];
  const tenantId = fault === 4 ? null : (members[tenant]?.tenantId ?? '');
  const run = tenantId === null ? units.runWithoutTenant.bind(units) : units.run.bind(units, tenantId);
  const unit = run(async (tx) => {
    const rows = await tx.query<{ tenant_id: string }[]>(`select tenant_id from ${table}`);
    const foreign = rows.filter((row) => row.tenant_id !== tenantId).length;
    expect({ table, tenantId, foreign }).toEqual({ table, tenantId, foreign: 0 });
    count(
      tenantId === null ? 'rows without a tenant: none' : rows.length > 0 ? 'unfiltered rows' : 'unfiltered, empty',
    );
    if (fault === 1) throw new PlannedRollback();
    if (fault === 2) await tx.query('select 1 / 0');
  });
  await unit.catch((error: Error) => {
    if (!(error instanceof PlannedRollback) && !/division by zero/.test(error.message)) throw error;
    count('failed units');
  });
}

class PlannedRollback extends Error {}

describe(`${REQUESTS} requests of ${TENANTS} tenants on ${CONNECTIONS} connections`, () => {
  it('get the same responses as alone, also after errors and disconnected clients', async () => {
    const random = seededRandom(20261120);
    const order = [...Array.from({ length: REQUESTS }, () => true), ...Array.from({ length: CALL_COUNT }, () => false)];
    for (let last = order.length - 1; last > 0; last -= 1) {
      const other = random.int(last + 1);
      [order[last], order[other]] = [order[other] as boolean, order[last] as boolean];
    }
    let next = 0;
    const takeTurns = async (): Promise<void> => {
      while (next < order.length) {
        const number = next++;
        const tenant = random.int(TENANTS);
        if (!order[number]) await readUnfiltered(random, tenant);
        else {
          const call = drawCall(random, tenant, number);
          await send(tenant, call, random.int(8) === 0 ? random.int(PATIENCE_MS) : null);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
    const number = (what: string) => statuses.get(what) ?? 0;
    expect(responses.length + number('aborted')).toBe(REQUESTS);
    for (const status of ['200', '201', '400', '404', '409', '412'])
      expect({ status, many: number(status) > 30 }).toEqual({ status, many: true });
    for (const what of ['aborted', 'unfiltered rows', 'rows without a tenant: none', 'failed units'])
      expect({ what, many: number(what) > 15 }).toEqual({ what, many: true });
    const [pool] = await runward.database.query<{ size: number }>(
      `select count(*)::int as size from pg_stat_activity where datname = current_database() and application_name = 'runward'`,
    );
    expect(pool?.size).toBe(CONNECTIONS);
  });

  it('never contain a word or ID of another tenant', async () => {
    const owners = await idOwners();
    const foreign = responses.flatMap(({ tenant, what, text }) =>
      foreignIn(tenant, text, owners).map((found) => ({ tenant, what, found })),
    );
    expect(foreign).toEqual([]);
    // Control: the responses do contain IDs and words, so the test would have found those of another tenant.
    const seen = responses.flatMap(({ text }) => text.match(ID) ?? []).filter((id) => owners.has(id));
    expect(new Set(seen).size).toBeGreaterThan(TENANTS * 10);
    const neighbour = responses.findLast(({ tenant, what }) => tenant === 1 && what === 'GET /api/plans');
    expect(foreignIn(0, neighbour?.text ?? '', owners)).toEqual(
      expect.arrayContaining([tenantWord(1), records[1]?.planId, records[1]?.environmentId]),
    );
  });

  it('leave each row with the tenant of its word', async () => {
    for (const [tenant, { tenantId }] of members.entries()) {
      for (const table of tables) {
        const rows = await queryAs<{ text: string }>(
          runward.database,
          tenantId,
          `select t::text as text from ${table} t where tenant_id = $1 and t::text ~ 'quartz\\d\\d'`,
          [tenantId],
        );
        const words = new Set(rows.flatMap(({ text }) => text.match(TENANT_WORD) ?? []));
        words.delete(tenantWord(tenant));
        expect({ table, tenant, words: [...words] }).toEqual({ table, tenant, words: [] });
      }
    }
  });
});

async function idOwners(): Promise<Map<string, number>> {
  const owners = new Map<string, number>();
  const withId = await runward.database.query<{ table: string }>(
    `select table_name as table from information_schema.columns
      where table_schema = 'public' and column_name = 'id' and data_type = 'uuid' and table_name = any ($1)`,
    [tables],
  );
  for (const [tenant, { tenantId }] of members.entries()) {
    owners.set(tenantId, tenant);
    for (const { table } of withId) {
      const rows = await queryAs<{ id: string }>(
        runward.database,
        tenantId,
        `select id from ${table} where tenant_id = $1`,
        [tenantId],
      );
      for (const { id } of rows) owners.set(id, tenant);
    }
  }
  return owners;
}

function foreignIn(tenant: number, text: string, owners: ReadonlyMap<string, number>): string[] {
  const words = (text.match(TENANT_WORD) ?? []).filter((word) => word !== tenantWord(tenant));
  const ids = (text.match(ID) ?? []).filter((id) => owners.has(id) && owners.get(id) !== tenant);
  return [...new Set([...words, ...ids])];
}
