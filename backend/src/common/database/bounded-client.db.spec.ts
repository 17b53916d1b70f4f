import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { type DatabaseGate, openGate } from '../../../test/support/database-gate.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { newId } from '../ids.js';
import { createAppConnectionOptions } from './connection.js';
import { isDatabaseUnavailable } from './database-problem.js';
import { registerPreparedStatement, sql } from './sql.js';
import { UnitOfWork } from './unit-of-work.js';

const ANSWER_MS = 700;

let database: TestDatabase;
let gate: DatabaseGate;
let dataSource: DataSource;
let units: UnitOfWork;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  gate = await openGate(database.appUrl);
  dataSource = await new DataSource(
    createAppConnectionOptions(gate.url, 1, { answerTimeoutMs: ANSWER_MS }),
  ).initialize();
  units = new UnitOfWork(dataSource);
});
afterEach(async () => {
  await dataSource.destroy();
  await gate.cut();
});

const backend = () =>
  units.run(newId(), async (tx) => (await tx.query<{ pid: number }[]>('select pg_backend_pid() as pid'))[0]?.pid);

describe('a connection that died silently', () => {
  it('is closed, and the next unit gets another one', async () => {
    const first = await backend();
    gate.stopAnswering();
    const error: unknown = await backend().catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    const next = await backend();
    expect([typeof next, next === first]).toEqual(['number', false]);
  });

  it('ends its running unit, between two statements or at its end', async () => {
    for (const statements of [1, 0]) {
      const lost = units.run(newId(), async (tx) => {
        await tx.query('select 1');
        gate.stopAnswering();
        for (let n = 0; n < statements; n += 1) await tx.query('select 1');
      });
      expect(isDatabaseUnavailable(await lost.catch((reason: unknown) => reason))).toBe(true);
      expect(typeof (await backend())).toBe('number');
    }
  });

  it('is not assumed for a slow statement that is answered in time, nor for a refused one', async () => {
    const first = await backend();
    const slow = `select pg_sleep(${(ANSWER_MS * 0.4) / 1000})`;
    await units.run(newId(), async (tx) => {
      await tx.query(slow);
      await tx.query(slow);
      await tx.query(slow);
    });
    await expect(units.run(newId(), (tx) => tx.query('select 1 / 0'))).rejects.toThrow('division by zero');
    expect(await backend()).toBe(first);
  });
});

describe('a unit of work', () => {
  const stored = async () =>
    (await units.runWithoutTenant((tx) => tx.query<{ n: number }[]>('select count(*)::int as n from pg_temp.kept')))[0]
      ?.n;

  it('stores nothing when a statement pipelined with the commit fails', async () => {
    await units.runWithoutTenant((tx) => tx.query('create temporary table kept (n integer check (n > 0))'));
    const storing = (last: number) =>
      units.run(newId(), async (tx) => {
        await tx.query('insert into pg_temp.kept values (1)');
        units.beforeCommit(tx, () => Promise.resolve(sql.raw(`insert into pg_temp.kept values (${last})`)));
      });
    await expect(storing(-1)).rejects.toThrow(/kept_n_check/);
    expect(await stored()).toBe(0);
    await storing(2);
    expect(await stored()).toBe(2);
  });

  it('reports the failed statement, not the skipped statements after it', async () => {
    const failing = units.run(newId(), async (tx) => {
      tx.query('select 1 / $1::int', [0]).catch(() => undefined);
      await tx.query('select 1');
    });
    await expect(failing).rejects.toMatchObject({ query: 'select 1 / $1::int', driverError: { code: '22012' } });
    await expect(units.run(newId(), (tx) => tx.query('select nothing'))).rejects.toThrow(/"nothing"/);
    expect(await units.run(newId(), (tx) => tx.query('select 1 as one'))).toEqual([{ one: 1 }]);
  });

  it('accepts only a UUID as tenant, so nothing can end the statement', async () => {
    await expect(units.run(`' or true --`, () => Promise.resolve())).rejects.toThrow('UUID');
    const tenantId = newId();
    const settings = sql`
      select current_setting('app.tenant') as tenant, current_setting('transaction_read_only') as reading`;
    expect(await units.queryOnce(tenantId, settings)).toEqual([{ tenant: tenantId, reading: 'on' }]);
    const after = await units.runWithoutTenant((tx) =>
      tx.query<unknown[]>(`select current_setting('app.tenant', true) as tenant`),
    );
    expect(after).toEqual([{ tenant: '' }]);
  });
});

describe('a connection whose prepared statements are stale', () => {
  it('is closed, and the next unit gets another one', async () => {
    const statement = registerPreparedStatement('select * from changing');
    const readServerPid = () => units.runWithoutTenant((tx) => tx.query(statement));
    await database.query('create table changing (n integer); grant select on changing to runward_app');
    const first = await backend();
    expect(await readServerPid()).toEqual([]);
    await database.query('alter table changing add column more text');
    const error: unknown = await readServerPid().catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(await readServerPid()).toEqual([]);
    expect(await backend()).not.toBe(first);
  });
});
