import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { type DatabaseGate, openGate } from '../../../test/support/database-gate.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { newId } from '../ids.js';
import { appConnection } from './connection.js';
import { isDatabaseAway } from './database-problem.js';
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
  dataSource = await new DataSource(appConnection(gate.url, 1, { answerTimeoutMs: ANSWER_MS })).initialize();
  units = new UnitOfWork(dataSource);
});
afterEach(async () => {
  await dataSource.destroy();
  await gate.cut();
});

const backend = () =>
  units.run(newId(), async (tx) => (await tx.query<{ pid: number }[]>('select pg_backend_pid() as pid'))[0]?.pid);

describe('a connection that died without a word', () => {
  it('is given up, and the next unit gets another one', async () => {
    const first = await backend();
    gate.silence();
    const error: unknown = await backend().catch((reason: unknown) => reason);
    expect(isDatabaseAway(error)).toBe(true);
    const next = await backend();
    expect([typeof next, next === first]).toEqual(['number', false]);
  });

  it('ends the unit that was under way, between two statements or before its end', async () => {
    for (const statements of [1, 0]) {
      const lost = units.run(newId(), async (tx) => {
        await tx.query('select 1');
        gate.silence();
        for (let n = 0; n < statements; n += 1) await tx.query('select 1');
      });
      expect(isDatabaseAway(await lost.catch((reason: unknown) => reason))).toBe(true);
      expect(typeof (await backend())).toBe('number');
    }
  });

  it('is no matter of a statement that takes long and is answered in time, nor of one that is refused', async () => {
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
