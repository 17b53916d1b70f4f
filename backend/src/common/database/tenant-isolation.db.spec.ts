import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { queryAs, tableNames, tenantTables } from '../../../test/support/table-contents.js';
import { newId } from '../ids.js';
import { createAppConnectionOptions } from './connection.js';
import { UnitOfWork } from './unit-of-work.js';

const TENANTS = 10;

let database: TestDatabase;
let dataSource: DataSource;
let units: UnitOfWork;
let tables: string[];
const tenants: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  // Fewer connections than concurrent units of work, so that each connection serves several tenants in turn.
  dataSource = await new DataSource(createAppConnectionOptions(database.appUrl, 3)).initialize();
  units = new UnitOfWork(dataSource);
  tables = await tenantTables(database);
  for (let index = 0; index < TENANTS; index += 1) tenants.push(await makeTenant(`tenant-${index}`));
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

async function makeTenant(name: string): Promise<string> {
  const id = newId();
  const run = (sql: string) => queryAs(database, id, sql);
  await run(`insert into tenants (id, name) values ('${id}', '${name}')`);
  await run(
    `insert into users (id, tenant_id, email, name, role) values ('${id}', '${id}', 'a@${name}', 'A', 'admin')`,
  );
  await run(`insert into sessions (id, tenant_id, user_id, secret_hash, address, user_agent, expires_at)
    values ('${id}', '${id}', '${id}', 'x', 'x', 'x', now())`);
  await run(
    `insert into api_tokens (id, tenant_id, user_id, name, prefix, secret_hash) values ('${id}', '${id}', '${id}', 'x', 'x', 'x')`,
  );
  await run(
    `insert into password_links (id, tenant_id, user_id, expires_at) values ('${id}', '${id}', '${id}', now())`,
  );
  await run(`insert into oidc_trust_rules (id, tenant_id, name, issuer, audience, subject, user_id, access, token_lifetime_seconds, enabled)
    values ('${id}', '${id}', 'x', 'x', 'x', 'x', '${id}', 'run', 60, true)`);
  await run(`insert into audit_entries (id, tenant_id, actor_kind, action, resource_type, sequence, hash)
    values ('${id}', '${id}', 'system', 'x', 'x', 1, 'x')`);
  await run(`insert into audit_heads (tenant_id, sequence, hash, seal) values ('${id}', 1, 'x', 'x')`);
  await run(`insert into outbox_interests (tenant_id, consumer, type) values ('${id}', 'x', 'x')`);
  await run(`insert into outbox_events (id, tenant_id, type, data) values ('${id}', '${id}', 'x', '{}')`);
  await run(`insert into webhooks (id, tenant_id, name, url, events, enabled, owner_id, owner_name, sealed_secret, secret_version)
    values ('${id}', '${id}', 'x', 'x', '{}', true, '${id}', 'x', 'x', 1)`);
  await run(`insert into webhook_messages (id, tenant_id, type, body, at) values ('${id}', '${id}', 'x', 'x', now())`);
  await run(`insert into webhook_deliveries (id, tenant_id, webhook_id, message_id, lane, position, state)
    values ('${id}', '${id}', '${id}', '${id}', '${id}', 0, 'dead')`);
  await run(
    `insert into webhook_attempts (tenant_id, delivery_id, number, duration_ms) values ('${id}', '${id}', 1, 0)`,
  );
  await run(`insert into environments (id, tenant_id, name, description) values ('${id}', '${id}', 'x', 'x')`);
  await run(
    `insert into environment_grants (tenant_id, environment_id, user_id, level) values ('${id}', '${id}', '${id}', 'view')`,
  );
  await run(
    `insert into protection_changes (id, tenant_id, environment_id, settings, reason, requested_by, requested_by_name, expires_at)
      values ('${id}', '${id}', '${id}', '{}', 'x', '${id}', 'x', now())`,
  );
  await run(
    `insert into given_rights (tenant_id, user_id, environment_id, kind, given_by, given_by_name)
      values ('${id}', '${id}', '${id}', 'grant', '${id}', 'x')`,
  );
  await run(`insert into environment_variables (id, tenant_id, environment_id, key, type, secret, sealed_value, updated_by, updated_by_name)
    values ('${id}', '${id}', '${id}', 'X', 'secret', true, 'x', '${id}', 'x')`);
  await run(`insert into ssh_keys (id, tenant_id, name, type, public_key, fingerprint, sealed_private_key)
    values ('${id}', '${id}', 'x', 'x', 'x', 'x', 'x')`);
  await run(`insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags,
      host_key)
    values ('${id}', '${id}', '${id}', 'x', 'x', 22, 'x', '${id}', '{"x": "x"}',
      '{"type": "x", "publicKey": "x", "fingerprint": "x"}')`);
  await run(`insert into server_changes (tenant_id, server_id, at, name) values ('${id}', '${id}', now(), 'state')`);
  await run(`insert into server_variables (id, tenant_id, server_id, key, type, secret, sealed_value, updated_by, updated_by_name)
    values ('${id}', '${id}', '${id}', 'X', 'secret', true, 'x', '${id}', 'x')`);
  await run(`insert into inventory_imports (id, tenant_id, environment_id, preview, format, prune, prune_limit_percent, total,
      not_carried, more_not_carried, requested_by, created_by)
    values ('${id}', '${id}', '${id}', true, 'json', 'no', 0, 1, '[]', 0, '{}', '${id}')`);
  await run(
    `insert into inventory_import_entries (tenant_id, import_id, position, name) values ('${id}', '${id}', 0, 'x')`,
  );
  await run(`insert into key_rotations (id, tenant_id, old_key_id, key_name, new_key_name, old_fingerprint, new_fingerprint,
      requested_by, created_by)
    values ('${id}', '${id}', '${id}', 'x', 'x', 'x', 'x', '{}', '${id}')`);
  await run(`insert into key_rotation_hosts (tenant_id, rotation_id, server_id, environment_id, name, requested_by)
    values ('${id}', '${id}', '${id}', '${id}', 'x', '{}')`);
  await run(`insert into enrolments (id, tenant_id, environment_id, ssh_key_id, username, port, tags, prefix, secret_hash, requested_by,
      created_by, expires_at)
    values ('${id}', '${id}', '${id}', '${id}', 'x', 22, '{}', 'x', decode(repeat('00', 32), 'hex'), '{}', '${id}', now())`);
  await run(`insert into git_sources (id, tenant_id, name, description, url) values ('${id}', '${id}', 'x', 'x', 'x')`);
  await run(`insert into git_source_refs (tenant_id, git_source_id, name, commit) values ('${id}', '${id}', 'x', 'x')`);
  await run(
    `insert into git_webhook_calls (tenant_id, git_source_id, key) values ('${id}', '${id}', decode(repeat('00', 32), 'hex'))`,
  );
  await run(`insert into bookmarks (id, tenant_id, user_id, name, path) values ('${id}', '${id}', '${id}', 'x', '/x')`);
  await run(`insert into collections (id, tenant_id, name, description) values ('${id}', '${id}', 'x', 'x')`);
  await run(`insert into plan_folders (id, tenant_id, git_source_id, path, collection_id, set_up_by_name)
    values ('${id}', '${id}', '${id}', 'x', '${id}', 'x')`);
  await run(`insert into plan_folder_syncs (id, tenant_id, git_source_id, commit, counts, created, changed, removed, kept, invalid)
    values ('${id}', '${id}', '${id}', 'x', '{}', '[]', '[]', '[]', '[]', '[]')`);
  await run(
    `insert into plans (id, tenant_id, name, description, environment_id, revision) values ('${id}', '${id}', 'x', 'x', '${id}', 1)`,
  );
  await run(
    `insert into plan_revisions (id, tenant_id, plan_id, number, content, created_by) values ('${id}', '${id}', '${id}', 1, '{}', '${id}')`,
  );
  await run(`insert into executions (id, tenant_id, plan_id, plan_revision, plan_name, environment_id, environment_name, status, execution_mode,
      snapshot, digest, started_by, started_by_name, started_via, host_count)
    values ('${id}', '${id}', '${id}', 1, 'x', '${id}', 'x', 'PENDING', 'auto', '{}', 'x', '${id}', 'x', 'token', 1)`);
  await run(`insert into schedules (id, tenant_id, name, plan_id, environment_id, execution_mode, every_seconds, time_zone, on_overlap,
      on_missed, enabled, owner_name)
    values ('${id}', '${id}', 'x', '${id}', '${id}', 'auto', 60, 'UTC', 'skip', 'skip', true, 'x')`);
  await run(
    `insert into schedule_writers (tenant_id, schedule_id, user_id, by_token, at) values ('${id}', '${id}', '${id}', false, now())`,
  );
  await run(
    `insert into schedule_fires (id, tenant_id, schedule_id, at, outcome) values ('${id}', '${id}', '${id}', now(), 'missed')`,
  );
  await run(
    `insert into retention_rules (id, tenant_id, environment_id, updated_by_name) values ('${id}', '${id}', '${id}', 'x')`,
  );
  await run(`insert into retention_passes (tenant_id) values ('${id}')`);
  await run(`insert into execution_totals (tenant_id, environment_id, runs, bytes) values ('${id}', '${id}', 1, 1)`);
  await run(`insert into execution_steps (tenant_id, execution_id, step_index, key, name, type, status)
    values ('${id}', '${id}', 0, 'x', 'x', 'x', 'PENDING')`);
  await run(`insert into execution_hosts (tenant_id, execution_id, server_id, ordinal, name, hostname, port, username, ssh_key_id, tags)
    values ('${id}', '${id}', '${id}', 0, 'x', 'x', 22, 'x', '${id}', '{}')`);
  await run(
    `insert into host_results (tenant_id, execution_id, step_index, server_id, status) values ('${id}', '${id}', 0, '${id}', 'PENDING')`,
  );
  await run(`insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
    values ('${id}', '${id}', 1, 0, '${id}', 1, 1, 1, false, false, now(), 'x')`);
  await run(
    `insert into execution_events (tenant_id, execution_id, seq, type, data) values ('${id}', '${id}', 1, 'x', '{}')`,
  );
  await run(`insert into proved_host_keys (tenant_id, server_id, fingerprint) values ('${id}', '${id}', 'x')`);
  await run(
    `insert into host_proofs (tenant_id, server_id, address, port, fingerprint) values ('${id}', '${id}', 'x', 22, '')`,
  );
  await run(`insert into shared_host_keys (tenant_id, fingerprint, reason) values ('${id}', 'x', 'x')`);
  await run(`insert into departed_servers (id, tenant_id, environment_id, server_id, server_name, how)
    values ('${id}', '${id}', '${id}', '${id}', 'x', 'moved')`);
  await run(`insert into departed_proofs (tenant_id, departure_id, address, port, fingerprint, since)
    values ('${id}', '${id}', 'x', 22, '', now())`);
  await run(`insert into shared_addresses (tenant_id, address, reason, marked_by) values ('${id}', 'x', 'x', 'x')`);
  await run(`insert into notification_rules (id, tenant_id, name, enabled, channel_type, channel, events, owner_name)
    values ('${id}', '${id}', 'x', true, 'email', '{}', '{}', 'x')`);
  await run(`insert into notification_deliveries (id, tenant_id, rule_id, event, cause, subject, state, give_up_at)
    values ('${id}', '${id}', '${id}', 'x', 'x', 'x', 'sent', now())`);
  await run(`insert into guard_keys (tenant_id, key, execution_id) values ('${id}', 'x', '${id}')`);
  await run(`insert into guard_queue (tenant_id, execution_id, environment_id, timeout_seconds)
    values ('${id}', '${id}', '${id}', 1)`);
  await run(`insert into guard_waits (tenant_id, key, execution_id) values ('${id}', 'x', '${id}')`);
  await run(`insert into execution_labels (tenant_id, execution_id, key, value) values ('${id}', '${id}', 'x', 'x')`);
  await run(`insert into idempotency_keys (tenant_id, user_id, key, request_hash, status, response)
    values ('${id}', '${id}', 'x', 'x', 201, '{}')`);
  await run(`insert into dispatches (dispatch_id, tenant_id, execution_id, step_index, server_id, attempt, epoch)
    values ('${id}', '${id}', '${id}', 0, '${id}', 1, 1)`);
  await run(`insert into execution_slices (id, tenant_id, execution_id, step_index, server_ids)
    values ('${id}', '${id}', '${id}', 0, '{}')`);
  await run(`insert into approvals (tenant_id, execution_id, round, state, required_approvals, allow_self_approval, digest, requested_by,
      requested_by_name, expires_at)
    values ('${id}', '${id}', 1, 'pending', 1, false, 'x', '${id}', 'x', now())`);
  await run(`insert into approval_authors (tenant_id, execution_id, round, user_id, kind, name, revision)
    values ('${id}', '${id}', 1, '${id}', 'plan', 'x', 1)`);
  await run(`insert into inherited_results (tenant_id, execution_id, step_index, server_id, status, changed, done, from_execution_id, from_step)
    values ('${id}', '${id}', 0, '${id}', 'SUCCEEDED', false, true, '${id}', 0)`);
  await run(`insert into approval_decisions (tenant_id, execution_id, round, user_id, user_name, decision, digest)
    values ('${id}', '${id}', 1, '${id}', 'x', 'approved', 'x')`);
  for (const [records, revisions] of [
    ['scripts', 'script_revisions'],
    ['templates', 'template_revisions'],
  ]) {
    await run(
      `insert into ${records} (id, tenant_id, name, description, revision) values ('${id}', '${id}', 'x', 'x', 1)`,
    );
    await run(`insert into ${revisions} (id, tenant_id, record_id, number, content, created_by, created_by_name)
      values ('${id}', '${id}', '${id}', 1, 'x', '${id}', 'x')`);
  }
  return id;
}

const [ours, foreign] = [() => tenants[0] ?? '', () => tenants[1] ?? ''];

async function writtenColumns(table: string): Promise<string> {
  const rows = await database.query<{ name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns
      where table_schema = 'public' and table_name = '${table}' and is_generated = 'NEVER' order by ordinal_position`,
  );
  return rows.map(({ name }) => name).join(', ');
}

describe('a unit of work without the application’s own filter', () => {
  it('sees only rows of its tenant, in every tenant table', async () => {
    expect(tables.length).toBeGreaterThanOrEqual(21);
    for (const table of tables) {
      const rows = await units.run(ours(), (tx) => tx.query<{ tenant_id: string }[]>(`select * from ${table}`));
      expect({ table, tenants: rows.map((row) => row.tenant_id) }).toEqual({ table, tenants: [ours()] });
    }
  });

  it('sees no row without a tenant', async () => {
    for (const table of tables) {
      const none = await units.runWithoutTenant((tx) => tx.query<unknown[]>(`select * from ${table}`));
      expect({ table, rows: none.length }).toEqual({ table, rows: 0 });
      expect({ table, rows: (await dataSource.query<unknown[]>(`select * from ${table}`)).length }).toEqual({
        table,
        rows: 0,
      });
    }
  });

  it('can’t write a row of another tenant, or move one to it', async () => {
    for (const table of tables) {
      const columns = await writtenColumns(table);
      const copy = `insert into ${table} (${columns}) select ${columns} from (
        select (jsonb_populate_record(t, jsonb_build_object('tenant_id', $1::text))).* from ${table} t) copied`;
      await expect(units.run(ours(), (tx) => tx.query(copy, [foreign()]))).rejects.toThrow(/row-level security/);
      await expect(
        units.run(ours(), (tx) => tx.query(`update ${table} set tenant_id = $1`, [foreign()])),
      ).rejects.toThrow(/row-level security|permission denied/);
    }
  });

  it('can’t change or delete a row of another tenant, because it does not see it', async () => {
    for (const table of tables) {
      for (const sql of [
        `delete from ${table} where tenant_id = $1`,
        `update ${table} set tenant_id = $1 where tenant_id = $1`,
      ]) {
        const changed = await units
          .run(ours(), (tx) => tx.query<[unknown[], number]>(sql, [foreign()]))
          .catch((error: Error) => error.message);
        if (typeof changed === 'string') expect(changed).toMatch(/permission denied/);
        else expect({ sql, rows: changed[1] }).toEqual({ sql, rows: 0 });
      }
      const [row] = await queryAs<{ count: string }>(
        database,
        foreign(),
        `select count(*) from ${table} where tenant_id = $1`,
        [foreign()],
      );
      expect({ table, count: row?.count }).toEqual({ table, count: '1' });
    }
  });

  it('can’t leave its role', async () => {
    for (const sql of ['set row_security = off', 'reset role', 'set session authorization default']) {
      const rows = await units
        .run(ours(), async (tx) => {
          await tx.query(sql);
          return tx.query<{ tenant_id: string }[]>('select tenant_id from environments');
        })
        .catch(() => []);
      expect({ sql, foreign: rows.filter((row) => row.tenant_id !== ours()).length }).toEqual({ sql, foreign: 0 });
    }
  });
});

describe('a table without a tenant', () => {
  it('is one of a few without tenant data', async () => {
    const open = (await tableNames(database)).filter((name) => !tables.includes(name));
    const known = [
      'auth_directory',
      'backups',
      'installation',
      'known_places',
      'login_throttle',
      'runward_migrations',
      'schema_generation',
      'tenants',
      'worker_heartbeats',
    ];
    expect(open.sort()).toEqual(known);
  });
});

describe('the audit trail', () => {
  it('can’t be changed, emptied or thinned out by the application', async () => {
    for (const sql of [
      `update audit_entries set action = 'y'`,
      'delete from audit_entries',
      'truncate audit_entries',
      'delete from audit_heads',
      'truncate audit_heads',
    ]) {
      await expect(units.run(ours(), (tx) => tx.query(sql))).rejects.toThrow(/permission denied/);
    }
  });

  it('has a head that advances with each entry', async () => {
    const [, moved] = await units.run(ours(), (tx) =>
      tx.query<[unknown[], number]>('update audit_heads set sequence = sequence + 1'),
    );
    expect(moved).toBe(1);
  });
});

describe('a foreign key', () => {
  it('rejects a reference to a record of another tenant, even from the owner', async () => {
    const references: [string, string][] = [
      ['servers', 'environment_id'],
      ['servers', 'ssh_key_id'],
      ['plans', 'environment_id'],
      ['plans', 'collection_id'],
      ['collections', 'parent_id'],
      ['plan_revisions', 'plan_id'],
      ['plan_folders', 'git_source_id'],
      ['plan_folders', 'collection_id'],
      ['plan_folder_syncs', 'git_source_id'],
      ['sessions', 'user_id'],
      ['api_tokens', 'user_id'],
      ['api_tokens', 'parent_token_id'],
      ['password_links', 'user_id'],
      ['environment_grants', 'environment_id'],
      ['environment_grants', 'user_id'],
      ['environment_variables', 'environment_id'],
      ['server_variables', 'server_id'],
      ['idempotency_keys', 'user_id'],
      ['retention_rules', 'environment_id'],
      ['execution_steps', 'execution_id'],
      ['execution_hosts', 'execution_id'],
      ['host_results', 'execution_id'],
      ['output_chunks', 'execution_id'],
      ['execution_events', 'execution_id'],
      ['guard_keys', 'execution_id'],
      ['guard_queue', 'execution_id'],
      ['guard_waits', 'execution_id'],
      ['execution_labels', 'execution_id'],
      ['schedules', 'plan_id'],
      ['schedules', 'environment_id'],
      ['schedules', 'owner_id'],
      ['schedule_fires', 'schedule_id'],
    ];
    for (const [table, column] of references) {
      await database.query('begin');
      try {
        // Rows of these tables are deleted first: their primary keys would reject the change before the foreign key
        // does.
        for (const each of new Set(['schedules', 'plan_folders', table]))
          await queryAs(database, foreign(), `delete from ${each} where tenant_id = $1`, [foreign()]);
        const change = queryAs(database, ours(), `update ${table} set ${column} = $1 where tenant_id = $2`, [
          foreign(),
          ours(),
        ]);
        await expect(change.then(() => `${table}.${column} was accepted`)).rejects.toThrow(/foreign key/);
      } finally {
        await database.query('rollback');
      }
    }
  });

  it('exists in every tenant table, and includes the tenant unless it refers to the tenant itself', async () => {
    const keys = await database.query<{ table: string; columns: string[] }>(
      `select conrelid::regclass::text as table,
          (select array_agg(attname::text) from pg_attribute where attrelid = conrelid and attnum = any (conkey)) as columns
        from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
    );
    expect(keys.filter(({ columns }) => !columns.includes('tenant_id'))).toEqual([]);
    expect([...new Set(keys.map((key) => key.table))]).toEqual(expect.arrayContaining(tables));
  });
});

describe('five hundred units of ten tenants on three connections', () => {
  it('never see a row of another tenant, even after failed units', async () => {
    const random = seededRandom(20261120);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 500 }, async (_, index) => {
        const tenant = random.pick(tenants);
        const fault = index % 5;
        return units.run(tenant, async (tx) => {
          const seen = await tx.query<{ tenant_id: string }[]>(
            'select tenant_id from environments union all select tenant_id from servers',
          );
          if (fault === 1) throw new Error('planned');
          if (fault === 2) await tx.query('select 1 / 0');
          if (fault === 3)
            await tx.query(`select set_config('statement_timeout', '1', true), pg_sleep(0.05)`).catch(() => undefined);
          return seen.every((row) => row.tenant_id === tenant) && seen.length === 2;
        });
      }),
    );
    const answered = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(answered.length).toBeGreaterThanOrEqual(200);
    expect(outcomes.length - answered.length).toBeGreaterThanOrEqual(200);
    expect(answered.every((outcome) => outcome.value)).toBe(true);
  });
});
