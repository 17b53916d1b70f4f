import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { queryAs, tenantTables } from '../../../test/support/table-contents.js';
import { newId } from '../ids.js';
import { createAppConnectionOptions } from './connection.js';

const [OWN_TENANT_ID, OTHER_TENANT_ID] = [newId(), newId()];

let database: TestDatabase;
let tables: string[];
let owner: string;
let roles: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of [OWN_TENANT_ID, OTHER_TENANT_ID]) {
    const run = (sql: string) => queryAs(database, id, sql);
    await run(`insert into tenants (id, name) values ('${id}', '${id}')`);
    await run(`insert into users (id, tenant_id, email, name, role) values ('${id}', '${id}', 'a', 'A', 'admin')`);
    await run(`insert into environments (id, tenant_id, name, description) values ('${id}', '${id}', 'x', 'x')`);
    await run(`insert into environment_variables (id, tenant_id, environment_id, key, type, secret, sealed_value, updated_by, updated_by_name)
      values ('${id}', '${id}', '${id}', 'X', 'secret', true, 'x', '${id}', 'x')`);
    await run(`insert into ssh_keys (id, tenant_id, name, type, public_key, fingerprint, sealed_private_key)
      values ('${id}', '${id}', 'x', 'x', 'x', 'x', 'x')`);
  }
  tables = await tenantTables(database);
  const names = await database.query<{ name: string }>(
    'select rolname as name from pg_roles order by rolsuper desc, rolname',
  );
  roles = names.map(({ name }) => name);
  owner = (await database.query<{ name: string }>('select current_user as name'))[0]?.name ?? '';
});
afterAll(() => database.drop());

const escapes = () => [
  'select 1',
  'set role none',
  'reset role',
  'set session authorization default',
  'reset session authorization',
  'reset all',
  'discard all',
  `select set_config('role', 'none', false)`,
  `select set_config('session_authorization', 'default', false)`,
  ...roles.flatMap((name) => [`set role "${name}"`, `set session authorization "${name}"`]),
];

const privilegedStatements = () => [
  'alter table environments disable row level security',
  'alter table environments no force row level security',
  'drop policy tenant_wall on environments',
  'create policy extra on environments using (true)',
  'alter table environments owner to runward_app',
  'create table public.copy as select 1',
  'create view public.seen as select * from environments',
  `create function public.seen() returns setof environments language sql security definer as 'select * from environments'`,
  'alter role runward_app bypassrls',
  'alter role current_user superuser',
  `grant "${owner}" to runward_app`,
  'create role another superuser',
  `copy environments to program 'cat'`,
  `copy (select 1) to '/tmp/runward-copy'`,
  `select pg_read_file('postgresql.conf')`,
  `select pg_ls_dir('base')`,
  `select lo_import('/etc/hostname')`,
  'select rolpassword from pg_authid',
  'create extension file_fdw',
  `alter system set row_security to off`,
];

async function inSession<T>(work: (session: QueryRunner) => Promise<T>): Promise<T> {
  const source = await new DataSource(createAppConnectionOptions(database.appUrl, 1)).initialize();
  const session = source.createQueryRunner();
  try {
    return await work(session);
  } finally {
    await session.release();
    await source.destroy();
  }
}

const PERMISSION_DENIED = '42501';

const outcome = (session: QueryRunner, sql: string): Promise<string> =>
  session.query(sql).then(
    () => 'done',
    (error: { code?: string }) => error.code ?? 'unknown',
  );

async function foreignRows(session: QueryRunner): Promise<number> {
  let seen = 0;
  for (const tenant of [OWN_TENANT_ID, '']) {
    await session.query(`select set_config('app.tenant', $1, false)`, [tenant]);
    for (const table of tables) {
      const rows = (await session
        .query(`select 1 from ${table} where tenant_id <> $1`, [OWN_TENANT_ID])
        .catch(() => [])) as unknown[];
      seen += rows.length;
    }
  }
  return seen;
}

describe('the application’s own session', () => {
  it('sees no row of another tenant, even after trying to leave its role or to disable the policies', async () => {
    for (const escape of escapes()) {
      await inSession(async (session) => {
        await outcome(session, escape);
        const before = await foreignRows(session);
        await outcome(session, 'set row_security = off');
        expect({ way: escape, foreign: before + (await foreignRows(session)) }).toEqual({ way: escape, foreign: 0 });
      });
    }
  });

  it('cannot gain more rights, before or after leaving its role', async () => {
    for (const escape of ['select 1', 'set role none', 'reset session authorization', 'discard all']) {
      await inSession(async (session) => {
        for (const theft of privilegedStatements()) {
          await outcome(session, escape);
          expect({ way: escape, theft, outcome: await outcome(session, theft) }).toEqual({
            way: escape,
            theft,
            outcome: PERMISSION_DENIED,
          });
        }
        expect(await foreignRows(session)).toBe(0);
      });
    }
  });

  it('could find rows of other tenants: their own unit of work sees them', async () => {
    const rows = await queryAs<{ tenant_id: string }>(database, OTHER_TENANT_ID, 'select tenant_id from environments');
    expect(rows.map((row) => row.tenant_id)).toContain(OTHER_TENANT_ID);
  });
});
