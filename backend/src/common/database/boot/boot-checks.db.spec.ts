import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { tenantTables } from '../../../../test/support/table-contents.js';
import { checkDatabaseLogin, checkRowLevelSecurity } from './boot-checks.js';
import { createAppConnectionOptions, createOwnerConnectionOptions } from '../connection.js';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  dataSource = await new DataSource(createAppConnectionOptions(database.appUrl, 1)).initialize();
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

const NOT_FORCED_FAULT = 'Table plans does not force row-level security.';
const POLICY_FAULT = 'Table plans does not have exactly the one tenant policy.';
const CORRECT_POLICY = `tenant_id = nullif(current_setting('app.tenant', true), '')::uuid`;

const policy = (using: string, check: string, command = 'all') =>
  `drop policy tenant_wall on plans;
   create policy tenant_wall on plans for ${command} using (${using}) ${command === 'select' ? '' : `with check (${check})`}`;

async function faultsWith(...statements: string[]): Promise<string[]> {
  await database.query('begin');
  try {
    for (const hole of statements) await database.query(hole);
    await database.query('commit');
    return await checkRowLevelSecurity(dataSource);
  } finally {
    await database.query(`
      drop policy if exists extra on plans; drop policy if exists tenant_wall on plans;
      create policy tenant_wall on plans using (${CORRECT_POLICY}) with check (${CORRECT_POLICY});
      alter table plans enable row level security; alter table plans force row level security;
      drop table if exists notes`);
  }
}

describe('the check of tenant isolation', () => {
  it('finds no fault after the migrations', async () => {
    expect(await checkRowLevelSecurity(dataSource)).toEqual([]);
  });

  it.each([
    ['not forced on the owner', 'alter table plans no force row level security', [NOT_FORCED_FAULT]],
    ['switched off', 'alter table plans disable row level security', [NOT_FORCED_FAULT]],
    ['without its policy', 'drop policy tenant_wall on plans', [POLICY_FAULT]],
    ['with a second policy beside it', 'create policy extra on plans using (true)', [POLICY_FAULT]],
    ['open for reading', policy('true', CORRECT_POLICY), [POLICY_FAULT]],
    ['open for writing', policy(CORRECT_POLICY, 'true'), [POLICY_FAULT]],
    ['open by an "or"', policy(`${CORRECT_POLICY} or name = 'public'`, CORRECT_POLICY), [POLICY_FAULT]],
    ['by another setting', policy(CORRECT_POLICY.replace('app.tenant', 'app.tenants'), CORRECT_POLICY), [POLICY_FAULT]],
    ['by another column', policy(CORRECT_POLICY.replace('tenant_id', 'id'), CORRECT_POLICY), [POLICY_FAULT]],
    ['for reading only', policy(CORRECT_POLICY, CORRECT_POLICY, 'select'), [POLICY_FAULT]],
  ])('reports a table whose isolation policy is %s', async (_, hole, faults) => {
    expect(await faultsWith(hole)).toEqual(faults);
  });

  it('covers every tenant table', async () => {
    const tables = await tenantTables(database);
    expect(tables.length).toBeGreaterThanOrEqual(21);
    for (const table of tables) {
      await database.query(`alter table ${table} no force row level security`);
      const faults = await checkRowLevelSecurity(dataSource);
      await database.query(`alter table ${table} force row level security`);
      expect(faults).toEqual([`Table ${table} does not force row-level security.`]);
    }
  });

  it('reports a new table without a policy', async () => {
    expect(await faultsWith('create table notes (id uuid primary key, tenant_id uuid not null)')).toEqual([
      'Table notes does not force row-level security.',
      'Table notes does not have exactly the one tenant policy.',
    ]);
  });

  it('reports a table owned by the application role', async () => {
    const faults = await faultsWith(
      'grant create on schema public to runward_app',
      'alter table plans owner to runward_app',
    );
    await database.query('alter table plans owner to current_user');
    expect(faults).toContain("Table plans belongs to the application's own role.");
  });

  it('reports a session with another role', async () => {
    const owner = await new DataSource(createOwnerConnectionOptions(database.url)).initialize();
    try {
      const faults = await checkRowLevelSecurity(owner);
      expect(faults[0]).toMatch(/^The application runs as database role \S+, not runward_app\.$/);
    } finally {
      await owner.destroy();
    }
  });

  it('reports a database without tables', async () => {
    const empty = await createTestDatabase();
    await empty.query('drop schema public cascade; create schema public; grant usage on schema public to runward_app');
    const source = await new DataSource(createAppConnectionOptions(empty.appUrl, 1)).initialize();
    try {
      expect(await checkRowLevelSecurity(source)).toEqual(['The database has no tenant tables. Run the migrations.']);
    } finally {
      await source.destroy();
      await empty.drop();
    }
  });
});

describe('the check of the login', () => {
  const role = `runward_test_${process.pid}`;
  let login: string;

  beforeAll(async () => {
    const [row] = await dataSource.query<{ login: string }[]>('select session_user as login');
    login = row?.login ?? '';
  });

  it('finds no fault in the application’s login', async () => {
    expect(await checkDatabaseLogin(dataSource)).toEqual([]);
  });

  it('reports every role that grants the login more rights', async () => {
    // An owner that is not a superuser may grant only `createrole`.
    const [owner] = await database.query<{ superuser: boolean }>(
      'select rolsuper as superuser from pg_roles where rolname = current_user',
    );
    for (const attribute of owner?.superuser
      ? ['superuser', 'bypassrls', 'replication', 'createrole']
      : ['createrole']) {
      await database.query(`create role ${role} ${attribute}`);
      await database.query(`grant ${role} to "${login}"`);
      try {
        expect(await checkDatabaseLogin(dataSource)).toEqual([
          `Database login ${login} may act as ${role}, which can bypass row-level security.`,
        ]);
      } finally {
        await database.query(`drop role ${role}`);
      }
    }
  });

  it.each(['pg_read_server_files', 'pg_execute_server_program'])('reports %s', async (name) => {
    await database.query(`create role ${role} in role ${name}`);
    await database.query(`grant ${role} to "${login}"`);
    try {
      expect(await checkDatabaseLogin(dataSource)).toEqual([
        `Database login ${login} may act as ${name}, which can bypass row-level security.`,
      ]);
    } finally {
      await database.query(`drop role ${role}`);
    }
  });

  it('reports a login that owns the tables', async () => {
    const owner = await new DataSource(createOwnerConnectionOptions(database.url)).initialize();
    try {
      expect((await checkDatabaseLogin(owner)).at(-1)).toMatch(
        /^Database login \S+ owns tables \(\w+\) and can disable/,
      );
    } finally {
      await owner.destroy();
    }
  });
});
