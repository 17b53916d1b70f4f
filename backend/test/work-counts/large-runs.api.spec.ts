import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type EntityManager } from 'typeorm';
import { createAppConnectionOptions } from '../../src/common/database/connection.js';
import { UnitOfWork } from '../../src/common/database/unit-of-work.js';
import { claimMachines } from '../../src/executions/engine/connections/claim-machine.js';
import { storeProgress } from '../../src/executions/engine/progress/progress-rows.js';
import type { HostChange } from '../../src/executions/engine/progress/step-progress.js';
import type { RunRef } from '../../src/executions/record/run-head.js';
import { type Installation, startInstallation, type TestMember } from '../support/installation.js';
import { insertServers } from '../support/many-servers.js';
import { queryAs } from '../support/table-contents.js';

/** Number of earlier runs, so that the database has typical statistics. */
const USUAL_RUNS = 500;
const USUAL_HOSTS = 10;
const HOSTS = 2_000;
const FEW_HOSTS = 5;
/** Maximum number of rows to read. A few statements find, lock and write each of these hosts. */
const MAX_ROWS = 10 * FEW_HOSTS;
/** PostgreSQL may switch to a generic plan from the sixth execution of a prepared statement. */
const TIMES = 8;

let runward: Installation;
let acme: TestMember;
let planId: string;
let source: DataSource;
let units: UnitOfWork;
let ref: RunRef;
let serverIds: string[];
const fence = { owner: 'worker', epoch: 1 };

beforeAll(async () => {
  runward = await startInstallation();
  acme = await runward.tenant('acme');
  const { api, tenantId } = acme;
  const post = async (path: string, body: object): Promise<string> =>
    (await api.post<{ id: string }>(path, body)).body.id;
  const keyId = await post('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } });
  const environmentId = await post('/api/environments', { name: 'large' });
  const asTenant = (sql: string, values: unknown[]) => queryAs(runward.database, tenantId, sql, values);
  const insert = (name: string, count: number) =>
    insertServers(runward, tenantId, { environmentId, keyId, name, count });
  const steps = [{ key: 'one', command: 'true' }];
  planId = await post('/api/plans', { name: 'large', environmentId, steps });
  const start = () => post('/api/executions', { planId, execution_mode: 'auto' });
  await insert('app-', USUAL_HOSTS);
  await makeHistory(tenantId, await start());
  await insert('web-', HOSTS);
  ref = { tenantId, executionId: await start() };
  await asTenant(`update executions set owner = $2, epoch = $3, status = 'RUNNING' where id = $1`, [
    ref.executionId,
    fence.owner,
    fence.epoch,
  ]);
  await asTenant(
    `insert into host_results (tenant_id, execution_id, step_index, server_id, status)
      select tenant_id, execution_id, 0, server_id, 'PENDING' from execution_hosts where execution_id = $1`,
    [ref.executionId],
  );
  source = await new DataSource(createAppConnectionOptions(runward.database.appUrl, 1)).initialize();
  units = new UnitOfWork(source);
  serverIds = await units.run(tenantId, async (tx) => {
    const rows = await tx.query<{ id: string }[]>(
      'select server_id as id from execution_hosts where execution_id = $1 order by random() limit $2',
      [ref.executionId, FEW_HOSTS],
    );
    return rows.map(({ id }) => id);
  });
});
afterAll(async () => {
  await source.destroy();
  await runward.close();
});

/** Creates many ended runs like this one, and none larger, because the planner uses their statistics. */
async function makeHistory(tenantId: string, executionId: string): Promise<void> {
  const asTenant = (sql: string, values: unknown[]) => queryAs(runward.database, tenantId, sql, values);
  const [row] = (await runward.database.query(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
      where attrelid = 'executions'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  )) as [{ columns: string }];
  await asTenant(
    `with made as (
        insert into executions (${row.columns}) select ${row.columns} from (
          select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
            from executions e, generate_series(1, $2::int) where e.id = $1) copies returning id)
      insert into execution_hosts select (jsonb_populate_record(h, jsonb_build_object('execution_id', made.id))).*
        from execution_hosts h, made where h.execution_id = $1`,
    [executionId, USUAL_RUNS],
  );
  await asTenant(
    `insert into host_results (tenant_id, execution_id, step_index, server_id, status)
      select tenant_id, execution_id, 0, server_id, 'SUCCEEDED' from execution_hosts`,
    [],
  );
  await asTenant(`update executions set status = 'SUCCEEDED', finished_at = now()`, []);
  await asTenant('delete from guard_keys', []);
  for (const table of ['executions', 'execution_hosts', 'host_results'])
    await runward.database.query(`vacuum analyze ${table}`);
}

const rowsReadBy = (work: (tx: EntityManager) => Promise<unknown>): Promise<number> =>
  units.run(ref.tenantId, async (tx) => {
    const before = await rowsRead(tx);
    await work(tx);
    return (await rowsRead(tx)) - before;
  });

/** Rows that this connection has read and that are not yet in the shared statistics. */
async function rowsRead(tx: EntityManager): Promise<number> {
  const [row] = await tx.query<{ rows: number }[]>(
    `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int as rows
      from pg_stat_xact_user_tables where relname = 'execution_hosts' or relname like 'host\\_results%'`,
  );
  return row?.rows ?? Number.NaN;
}

describe('run on thousands of hosts', () => {
  const read = (sql: string, values: unknown[] = []) => queryAs<object>(runward.database, acme.tenantId, sql, values);

  it('stores each host once, ordered by name', async () => {
    const frozen = await read('select ordinal, name from execution_hosts where execution_id = $1 order by ordinal', [
      ref.executionId,
    ]);
    expect(frozen).toHaveLength(HOSTS + USUAL_HOSTS);
    expect(frozen).toEqual(
      await read('select (row_number() over (order by name))::int - 1 as ordinal, name from servers order by name'),
    );
  });

  it('stores nothing if another run holds its hosts', async () => {
    const stored = () =>
      read('select (select count(*) from executions) as runs, (select count(*) from execution_hosts) as hosts');
    const before = await stored();
    const start = { planId, execution_mode: 'auto' };
    const { status, body } = await acme.api.post<{ code: string }>('/api/executions', start);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'run_overlap' });
    expect(await stored()).toEqual(before);
  });
});

describe('writes for a few hosts of a run on thousands', () => {
  it('do not read other hosts when reached addresses are stored', async () => {
    for (let time = 1; time <= TIMES; time += 1) {
      const reached = serverIds.map((serverId, index) => ({
        host: { serverId, hostname: 'web', port: 22, username: 'deploy' },
        address: `192.0.2.${10 * time + index}`,
      }));
      const rows = await rowsReadBy(async (tx) => {
        expect(await claimMachines(tx, ref, reached)).toEqual(serverIds.map(() => ({ other: null, compared: false })));
      });
      expect(rows).toBeGreaterThanOrEqual(FEW_HOSTS);
      expect(rows).toBeLessThanOrEqual(MAX_ROWS);
    }
  });

  it('do not read other hosts when results are stored', async () => {
    const changes = serverIds.map((serverId): HostChange => ({ serverId, kind: 'connecting' }));
    for (let flush = 1; flush <= TIMES; flush += 1) {
      const batch = { stepIndex: 0, stepKey: 'one', changes, output: [], counts: {}, flush };
      const rows = await rowsReadBy((tx) => storeProgress(tx, ref, fence, batch));
      expect(rows).toBeGreaterThanOrEqual(FEW_HOSTS);
      expect(rows).toBeLessThanOrEqual(MAX_ROWS);
    }
  });
});
