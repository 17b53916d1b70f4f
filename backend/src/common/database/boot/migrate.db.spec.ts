import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { newId } from '../../ids.js';
import { QUEUES } from '../../queue/queue-names.js';
import { migrateDatabase } from './migrate.js';
import { LAST_EARLIER_MIGRATION } from './take-over.js';

const LOCK = '7266923';
const WAITS = 'Another process upgrades the database schema. Waiting for it.';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('processes that start at the same time', () => {
  it('report that they wait for a migration, and continue when it has finished', async () => {
    const lines: string[] = [];
    await database.query(`select pg_advisory_lock(${LOCK})`);
    const done = migrateDatabase(database.url, null, null, (line) => lines.push(line));
    await eventually('it says something', () => lines.length > 0);
    expect(lines).toEqual([WAITS]);
    await database.query(`select pg_advisory_unlock(${LOCK})`);
    await done;
    expect(lines).toEqual([WAITS]);
  });

  it('name the session that holds the lock when the wait is too long', async () => {
    await database.query(`select pg_advisory_lock(${LOCK})`);
    const [own] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    await expect(migrateDatabase(database.url, null, null, () => undefined, 100)).rejects.toThrow(
      new RegExp(
        `^The lock for schema upgrades is held by process ${own?.pid} of the database .*: end it with select pg_terminate_backend`,
      ),
    );
    await database.query(`select pg_advisory_unlock(${LOCK})`);
  });

  it('leave no lock on the connection of a killed process', async () => {
    // Simulates a pooler after its client was killed: rolls back and keeps the connection.
    const pooled = new Client({ connectionString: database.url });
    await pooled.connect();
    try {
      await pooled.query(`begin; select pg_advisory_xact_lock(${LOCK}); rollback`);
      await expect(migrateDatabase(database.url, null, null, () => undefined, 100)).resolves.toBeUndefined();
    } finally {
      await pooled.end();
    }
  });

  it('do not wait for sessions that write jobs', async () => {
    const writer = new Client({ connectionString: database.url });
    await writer.connect();
    try {
      await writer.query('begin');
      await writer.query(`insert into pgboss.job (name, data) values ('${QUEUES.advanceRun}', '{}')`);
      const lockWait = `${database.url}${database.url.includes('?') ? '&' : '?'}options=${encodeURIComponent('-c lock_timeout=2s')}`;
      await expect(migrateDatabase(lockWait, null)).resolves.toBeUndefined();
    } finally {
      await writer.end();
    }
  });

  it('migrate one after another and leave no lock behind', async () => {
    await Promise.all(Array.from({ length: 3 }, () => migrateDatabase(database.url, null)));
    const locks = await database.query<{ count: number }>(
      `select count(*)::int as count from pg_locks where locktype = 'advisory' and objid = ${LOCK}
        and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(locks).toEqual([{ count: 0 }]);
  });
});

describe('a database from before the baseline', () => {
  const migrationsOf = async (): Promise<string[]> =>
    (await database.query<{ name: string }>('select name from runward_migrations order by id')).map(({ name }) => name);
  const pretend = async (...names: string[]): Promise<void> => {
    await database.query('delete from runward_migrations');
    for (const name of names)
      await database.query('insert into runward_migrations (timestamp, name) values (20261229040000, $1)', [name]);
  };

  it('is taken over without loss if it has the last migration before it', async () => {
    const current = await migrationsOf();
    await pretend('TenantsAndMembers20261120100000', LAST_EARLIER_MIGRATION);
    const id = newId();
    await database.query(`insert into tenants (id, name) values ($1, 'kept')`, [id]);
    const schema = await schemaOf(database);
    await migrateDatabase(database.url, null);
    expect(await migrationsOf()).toEqual(current);
    expect(await schemaOf(database)).toEqual(schema);
    expect(await database.query('select name from tenants where id = $1', [id])).toEqual([{ name: 'kept' }]);
  });

  it('is refused and not changed if it is older, with the commit that upgrades it', async () => {
    const current = await migrationsOf();
    await pretend('TenantsAndMembers20261120100000');
    await expect(migrateDatabase(database.url, null)).rejects.toThrow(
      /last used by an older Runward\. Start Runward of commit [0-9a-f]{8} with it once, which upgrades it; then start this version\./,
    );
    expect(await migrationsOf()).toEqual(['TenantsAndMembers20261120100000']);
    await pretend(...current);
  });
});

const schemaOf = (of: TestDatabase): Promise<unknown[]> =>
  of.query(
    `select c.relname, a.attname, a.atttypid::regtype::text as type from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and a.attnum > 0 order by 1, 2`,
  );
