import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { urlOf } from '../../../../test/support/database.js';
import { createOwnerConnectionOptions } from '../connection.js';
import { SCHEMA_GENERATION } from '../schema-generation.js';
import { Baseline20261127211500, BASELINE_GENERATION } from './20261127211500-baseline.js';
import { MIGRATIONS } from './all-migrations.js';

/**
 * Migrations after the baseline that change rights tables without excluding older code. Value: why older code reads no
 * more rights than new code.
 */
const SAFE_FOR_OLDER_CODE: Readonly<Record<string, string>> = {
  NotificationChannelTypes20261127234500: 'older code fails the delivery of a channel that it does not know',
  RunChanges20261128040800: 'adds columns for filters that older code does not have',
  SchedulePauses20261128131000: 'adds columns that explain a pause',
  UserReferences20261128132000: 'adds IDs beside names that are only shown',
};

const RIGHTS =
  '(owner_id|user_id|role|access|limits|secret_hash|expires|revoked|grant|askers|held_by|allow|protected|approv|token|narrow)';

const NO_RIGHTS: Readonly<Record<string, string>> = {
  audit_entries: 'says what was done',
  execution_slices: 'its servers are those of the run',
  guard_queue: 'order of runs that wait',
  idempotency_keys: 'stored answers',
};

interface State {
  rights: Map<string, string>;
  oldest: number | null;
}

let admin: Client;
let owner: DataSource;
const name = `runward_test_${randomBytes(6).toString('hex')}`;
const after = new Map<string, State>();

beforeAll(async () => {
  const server = process.env.RUNWARD_TEST_DATABASE ?? '';
  admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name}`);
  owner = await new DataSource(createOwnerConnectionOptions(urlOf(server, name))).initialize();
  const runner = owner.createQueryRunner();
  for (const Migration of MIGRATIONS) {
    const migration = new Migration();
    await runner.startTransaction();
    await migration.up(runner);
    await runner.commitTransaction();
    after.set(migration.name, { rights: await rightsIn(runner), oldest: await oldestCode(runner) });
  }
  await runner.release();
});
afterAll(async () => {
  await owner?.destroy();
  await admin.query(`drop database if exists ${name} with (force)`);
  await admin.end();
});

async function rightsIn(runner: QueryRunner): Promise<Map<string, string>> {
  const tables = (await runner.query(
    `with rights as (
        select c.oid, c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and not c.relispartition and c.relname <> all ($1) and exists (
            select from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
              and (a.attname ~ $2 or a.atttypid = 'uuid[]'::regtype)))
      select relname as name, jsonb_build_object(
          'columns', (select jsonb_agg(jsonb_build_array(a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
              pg_get_expr(d.adbin, d.adrelid)) order by a.attname)
            from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
            where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped),
          'checks', (select jsonb_agg(pg_get_constraintdef(c.oid) order by c.conname) from pg_constraint c
            where c.conrelid = r.oid and c.contype = 'c'),
          'policies', (select jsonb_agg(jsonb_build_array(p.policyname, p.cmd, p.permissive, p.qual, p.with_check) order by p.policyname)
            from pg_policies p where p.tablename = r.relname))::text as described
        from rights r
      union all
      select p.oid::regprocedure::text, pg_get_functiondef(p.oid) from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
          and exists (select from rights r where p.prosrc ~ ('\\m' || r.relname || '\\M'))`,
    [Object.keys(NO_RIGHTS), RIGHTS],
  )) as { name: string; described: string }[];
  return new Map(tables.map((table) => [table.name, table.described]));
}

async function oldestCode(runner: QueryRunner): Promise<number | null> {
  if (!(await runner.hasTable('schema_generation'))) return null;
  const [row] = (await runner.query('select oldest_code from schema_generation')) as [{ oldest_code: number }];
  return row.oldest_code;
}

function changedRights(migration: string): string[] {
  const names = [...after.keys()];
  const before = after.get(names[names.indexOf(migration) - 1] ?? '')?.rights ?? new Map<string, string>();
  const now = after.get(migration)!.rights;
  return [...before].filter(([table, described]) => now.get(table) !== described).map(([table]) => table);
}

const later = (): string[] => [...after.keys()].filter((name) => name !== new Baseline20261127211500().name);
const closes = (migration: string): boolean => {
  const names = [...after.keys()];
  const before = after.get(names[names.indexOf(migration) - 1] ?? '')?.oldest ?? 0;
  return (after.get(migration)!.oldest ?? 0) > before;
};

describe('a migration that changes rights', () => {
  it('closes the database to older code, or documents why that code reads no more than the new code', () => {
    const open = later().filter((migration) => changedRights(migration).length > 0 && !closes(migration));
    expect(open).toEqual(Object.keys(SAFE_FOR_OLDER_CODE));
  });

  it.each([
    ['a column', 'alter table api_tokens add column narrowed boolean', 'api_tokens'],
    ['a constraint', `alter table users add check (role <> 'owner')`, 'users'],
    ['a policy', 'create policy few on executions as restrictive using (false)', 'executions'],
    ['a function', 'alter function resolve_token(bytea, text) stable', 'resolve_token(bytea,text)'],
  ])('is detected by %s', async (_, change, changed) => {
    const runner = owner.createQueryRunner();
    const before = await rightsIn(runner);
    await runner.startTransaction();
    await runner.query(change);
    const now = await rightsIn(runner);
    await runner.rollbackTransaction();
    await runner.release();
    expect([...before].filter(([name, text]) => now.get(name) !== text).map(([name]) => name)).toEqual([changed]);
  });

  it('sets each generation once, up to that of this code', () => {
    const generations = [...after.values()].map(({ oldest }) => oldest ?? 0);
    expect(generations).toEqual([...generations].sort((one, other) => one - other));
    const known = Array.from(
      { length: SCHEMA_GENERATION - BASELINE_GENERATION + 1 },
      (_, n) => BASELINE_GENERATION + n,
    );
    expect([...new Set(generations)]).toEqual(known);
  });

  it('covers the table of each kind of credential', async () => {
    const [row] = await owner.query<{ kinds: string }[]>(
      `select pg_get_constraintdef(oid) as kinds from pg_constraint where conname = 'auth_directory_kind_check'`,
    );
    const kinds = [...(row?.kinds ?? '').matchAll(/'(\w+)'::text/g)].map(([, kind]) => kind ?? '');
    const tables: Record<string, string> = {
      email: 'users',
      session: 'sessions',
      token: 'api_tokens',
      password_link: 'password_links',
      enrolment: 'enrolments',
      git_source: 'git_sources',
      oidc_issuer: 'oidc_trust_rules',
    };
    expect(Object.keys(tables).sort()).toEqual(kinds.sort());
    const known = [...after.values()].at(-1)!.rights;
    expect(Object.values(tables).filter((table) => !known.has(table))).toEqual([]);
  });
});
