import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { v7 } from 'uuid';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { createAppConnectionOptions } from '../../common/database/connection.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { newId } from '../../common/ids.js';
import { deleteBatch, removeRuns } from './removed-runs.js';

const TABLES = ['output_chunks', 'execution_events', 'host_results'];
const tenantId = newId();

let database: TestDatabase;
let dataSource: DataSource;
let units: UnitOfWork;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await new DataSource(createAppConnectionOptions(database.appUrl, 3)).initialize();
  units = new UnitOfWork(dataSource);
  await queryAs(database, tenantId, `insert into tenants (id, name) values ($1, 'acme')`, [tenantId]);
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

function monthsFromNow(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15));
}

/** Stores a finished run with this start time and one row in each table. Returns its ID. */
async function runAt(at: Date): Promise<string> {
  const id = v7({ msecs: at.getTime() });
  const [ours, run] = [tenantId, id];
  await units.run(tenantId, async (tx) => {
    await tx.query(
      `insert into executions (id, tenant_id, plan_id, plan_revision, plan_name, environment_id, environment_name, status, execution_mode,
          snapshot, digest, started_by, started_by_name, started_via, host_count, created_at, finished_at)
        values ($1, $2, $2, 1, 'x', $2, 'x', 'SUCCEEDED', 'auto', '{}', 'x', $2, 'x', 'token', 1, $3, $3)`,
      [run, ours, at],
    );
    await tx.query(
      `insert into host_results (tenant_id, execution_id, step_index, server_id, status, output_bytes) values ($1, $2, 0, $1, 'SUCCEEDED', 1)`,
      [ours, run],
    );
    await tx.query(
      `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
        values ($1, $2, 1, 0, $1, 1, 1, 1, false, false, now(), 'x')`,
      [ours, run],
    );
    await tx.query(
      `insert into execution_events (tenant_id, execution_id, seq, type, data) values ($1, $2, 1, 'x', '{}')`,
      [ours, run],
    );
  });
  return id;
}

const partitionsOf = async (table: string): Promise<string[]> =>
  (
    await database.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1`,
      [table],
    )
  ).map(({ name }) => name);

const placeOf = async (table: string, id: string): Promise<string | undefined> =>
  (
    await queryAs<{ place: string }>(
      database,
      tenantId,
      `select tableoid::regclass::text as place from ${table} where execution_id = $1`,
      [id],
    )
  )[0]?.place;

const nameOf = (table: string, at: Date): string =>
  `${table}_${at.getUTCFullYear()}_${String(at.getUTCMonth() + 1).padStart(2, '0')}`;

describe('monthly partitions', () => {
  it('store rows of runs of that month, for this month and the next three', async () => {
    for (const months of [0, 1, 3]) {
      const id = await runAt(monthsFromNow(months));
      for (const table of TABLES) {
        const expected = months === 0 ? `${table}_before` : nameOf(table, monthsFromNow(months));
        expect(await placeOf(table, id)).toBe(expected);
      }
    }
  });

  it('are created once by concurrent processes', async () => {
    const last = 5;
    const made = await Promise.all(
      [1, 2, 3].map(() =>
        units.runWithoutTenant((tx) => tx.query<{ n: number }[]>('select make_month_partitions($1) as n', [last])),
      ),
    );
    expect(made.map(([row]) => row?.n ?? 0).sort()).toEqual([0, 0, 2 * TABLES.length]);
    for (const table of TABLES) expect(await partitionsOf(table)).toContain(nameOf(table, monthsFromNow(5)));
  });

  it('take over rows that were written before the partition existed', async () => {
    const at = monthsFromNow(7);
    const id = await runAt(at);
    for (const table of TABLES) expect(await placeOf(table, id)).toBe(`${table}_rest`);
    await units.runWithoutTenant((tx) => tx.query('select make_month_partitions(7)'));
    for (const table of TABLES) expect(await placeOf(table, id)).toBe(nameOf(table, at));
  });

  it('are not created while a table is locked, and the attempt times out', async () => {
    await database.query('begin');
    try {
      await database.query('lock table output_chunks_rest in access exclusive mode');
      const tried = units.runWithoutTenant((tx) => tx.query('select make_month_partitions(9)'));
      await expect(tried).rejects.toThrow(/lock timeout/);
    } finally {
      await database.query('rollback');
    }
    expect(await partitionsOf('output_chunks')).not.toContain(nameOf('output_chunks', monthsFromNow(9)));
  });

  it('cannot be accessed by name', async () => {
    for (const name of (await Promise.all(TABLES.map(partitionsOf))).flat()) {
      for (const sql of [`select 1 from ${name}`, `delete from ${name}`, `drop table ${name}`])
        await expect(units.run(tenantId, (tx) => tx.query(sql))).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  it('hide rows of other tenants', async () => {
    const other = newId();
    await queryAs(database, other, `insert into tenants (id, name) values ($1, 'other')`, [other]);
    for (const table of TABLES) {
      const rows = await units.run(other, (tx) => tx.query<unknown[]>(`select 1 from ${table}`));
      expect({ table, rows: rows.length }).toEqual({ table, rows: 0 });
    }
  });

  it('are not touched by reads and writes of a run of another month', async () => {
    const id = await runAt(monthsFromNow(1));
    const statements = [
      ...TABLES.map((table) => `select * from ${table} where execution_id = $1`),
      'select * from output_chunks where execution_id = $1 and step_index = 0 and server_id = $1 order by seq limit 10',
      `update host_results r set status = x.status from jsonb_to_recordset('[]'::jsonb) as x (server_id uuid, status text)
        where r.execution_id = $1 and r.step_index = 0 and r.server_id = x.server_id`,
      `select 1 from executions e join host_results r on r.execution_id = e.id where e.id = $1 and r.execution_id = $1`,
    ];
    for (const sql of statements) {
      const plan = await units.run(tenantId, async (tx) => {
        const rows = await tx.query<Record<string, string>[]>(`explain (costs off) ${sql}`, [id]);
        return rows.map((row) => Object.values(row)[0]).join('\n');
      });
      const touchedPartitions = new Set(
        plan.match(/\b(?:output_chunks|execution_events|host_results)_(?:\d{4}_\d\d|before|rest)\b(?=\s|$)/g),
      );
      expect({
        sql,
        touched: [...touchedPartitions].map((name) => name.replace(/^[a-z_]+?(?=_\d|_before|_rest)/, '')),
      }).toEqual({
        sql,
        touched: [nameOf('', monthsFromNow(1))],
      });
    }
  });

  it('delete rows together with the run', async () => {
    const id = await runAt(monthsFromNow(2));
    await units.run(tenantId, (tx) => tx.query('delete from executions where id = $1', [id]));
    for (const table of TABLES) expect(await placeOf(table, id)).toBeUndefined();
  });
});

describe('partitions of a past month', () => {
  const month = (date: string) => new Date(`${date}T12:00:00Z`);
  const drop = () =>
    units
      .runWithoutTenant((tx) => tx.query<{ n: number }[]>('select drop_spent_partitions() as n'))
      .then(([row]) => row?.n);

  beforeAll(async () => {
    await units.run(tenantId, (tx) => tx.query('delete from executions'));
    for (const table of TABLES) {
      await database.query(`alter table ${table} detach partition ${table}_before`);
      await database.query(
        `alter table ${table} attach partition ${table}_before for values from (minvalue) to ('${firstIdAt('2024-05-01')}')`,
      );
      for (const [from, to] of [
        ['2024-05', '2024-06'],
        ['2024-06', '2024-07'],
      ])
        await database.query(
          `create table ${table}_${from?.replace('-', '_')} partition of ${table}
            for values from ('${firstIdAt(`${from}-01`)}') to ('${firstIdAt(`${to}-01`)}')`,
        );
    }
  });

  it('are kept while any tenant has a visible run in them, and dropped after the last one', async () => {
    const run = await runAt(month('2024-05-10'));
    const later = await runAt(month('2024-06-10'));
    expect(await placeOf('output_chunks', run)).toBe('output_chunks_2024_05');
    expect(await drop()).toBe(TABLES.length);
    expect(await partitionsOf('host_results')).not.toContain('host_results_before');
    expect(await drop()).toBe(0);
    const other = newId();
    await queryAs(database, other, `insert into tenants (id, name) values ($1, 'neighbour')`, [other]);
    await units.run(other, (tx) => tx.query('delete from executions'));
    await units.run(tenantId, (tx) => removeRuns(tx, tenantId, [run]));
    expect(await drop()).toBe(TABLES.length);
    expect(await partitionsOf('output_chunks')).not.toContain('output_chunks_2024_05');
    expect(await partitionsOf('output_chunks')).toContain('output_chunks_2024_06');
    expect(await placeOf('output_chunks', later)).toBe('output_chunks_2024_06');
    while (await units.run(tenantId, (tx) => deleteBatch(tx, tenantId)));
    expect(
      await units.run(tenantId, (tx) => tx.query<unknown[]>('select 1 from executions where id = $1', [run])),
    ).toEqual([]);
  });

  it('are not dropped while a transaction reads them, and the attempt times out', async () => {
    const [row] = await units.run(tenantId, (tx) => tx.query<{ id: string }[]>('select id from executions'));
    await units.run(tenantId, (tx) => removeRuns(tx, tenantId, [row?.id ?? '']));
    await units.run(tenantId, async (tx) => {
      await tx.query('select count(*) from output_chunks');
      await expect(drop()).rejects.toThrow(/lock timeout/);
    });
    expect(await drop()).toBe(TABLES.length);
  });

  it('do not block new runs while they are dropped', async () => {
    const id = newId();
    await database.query('begin');
    try {
      await database.query('drop table output_chunks_rest');
      const insertion = units.run(tenantId, async (tx) => {
        await tx.query(`set local lock_timeout = '2s'`);
        await tx.query(
          `insert into executions (id, tenant_id, plan_id, plan_revision, plan_name, environment_id, environment_name, status, execution_mode,
              snapshot, digest, started_by, started_by_name, started_via, host_count)
            values ($1, $2, $1, 1, 'x', $1, 'x', 'PENDING', 'auto', '{}', 'x', $1, 'x', 'token', 1)`,
          [id, tenantId],
        );
      });
      await expect(insertion).resolves.toBeUndefined();
    } finally {
      await database.query('rollback');
    }
  });
});

function firstIdAt(day: string): string {
  const hex = Date.parse(`${day}T00:00:00Z`).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
