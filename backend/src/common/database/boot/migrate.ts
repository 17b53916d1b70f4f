import { ADMIN_COMMAND } from '../../admin-command.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { escapeIdentifier } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { installQueue } from '../../queue/install-queue.js';
import { APP_ROLE, createOwnerConnectionOptions } from '../connection.js';
import { MIGRATIONS } from '../migrations/all-migrations.js';
import { requireCurrentCode } from '../schema-generation.js';
import { affected, row, sql } from '../sql.js';
import { StartError } from '../start-error.js';
import { takeOverEarlierDatabase } from './take-over.js';

const MIGRATION_LOCK_ID = 7_266_923;

/** Exists while a restore is unfinished. Created and dropped by the restore. */
export const RESTORE_MARKER_TABLE = 'runward_restore';

/** Waits up to this time are not reported, in ms: a process without pending migrations finishes within it. */
const WAIT_NOTICE_AFTER_MS = 3_000;
const POLL_INTERVAL_MS = 50;
/** Longest wait for the lock of another process, in ms. After that, the other process counts as hanging. */
const MAX_WAIT_MS = 600_000;

/** Oldest PostgreSQL version on which migrations and queries are tested, as `server_version_num`. */
const MIN_SERVER_VERSION = 150_000;

/**
 * Migrates the database to the schema of this version, as its owner: application role, tables, queue. Several processes
 * can call it at once; they run one after another.
 * @param url connection URL of the owner
 * @param masterKeyId ID of the key with which this process seals secrets; null = the caller verifies it
 * @param appLogin login of the application, which gets the application role; null = login of the owner
 * @param log called once if this process must wait for another one
 * @param waitMs longest wait for another process
 * @param restored names of the only migrations to run, for a restore; null = all
 * @throws StartError when another process does not finish, when the server or this code is too old, or when the
 *   database's secrets were sealed with another key
 */
export async function migrateDatabase(
  url: string,
  masterKeyId: string | null,
  appLogin: string | null = null,
  log: (line: string) => void = () => undefined,
  waitMs = MAX_WAIT_MS,
  restored: ReadonlySet<string> | null = null,
): Promise<void> {
  const owner = await new DataSource({
    ...createOwnerConnectionOptions(url),
    migrations: restored ? MIGRATIONS.filter(({ name }) => restored.has(name)) : MIGRATIONS,
    migrationsTableName: 'runward_migrations',
    migrationsTransactionMode: 'each',
  }).initialize();
  const lock = owner.createQueryRunner();
  try {
    const server = await row(
      lock.manager,
      sql<{ version: number }>`select current_setting('server_version_num')::int as version`,
    );
    if (server && server.version < MIN_SERVER_VERSION) {
      throw new StartError(
        `The database is PostgreSQL ${Math.floor(server.version / 10_000)}; Runward needs 15 or newer.`,
      );
    }
    await waitForMigrationLock(lock, log, waitMs);
    if (!restored) await requireFinishedRestore(owner);
    await requireCurrentCode(owner);
    await ensureAppRole(owner, appLogin);
    await takeOverEarlierDatabase(owner);
    await owner.runMigrations();
    await installQueue(url, owner);
    if (masterKeyId !== null) await checkMasterKey(owner, masterKeyId);
  } finally {
    await lock.query('rollback').catch(() => undefined);
    await lock.release();
    await owner.destroy();
  }
}

async function requireFinishedRestore(owner: DataSource): Promise<void> {
  const marker = await row(
    owner,
    sql<{ exists: boolean }>`select to_regclass('public.${sql.raw(RESTORE_MARKER_TABLE)}') is not null as exists`,
  );
  if (marker?.exists)
    throw new StartError(
      'A restore into this database was not finished. Run it again: npm run admin -- backup restore FILE',
    );
}

/** Takes the migration lock in a transaction of `lock`. The lock ends with the connection, even behind a pooler. */
async function waitForMigrationLock(lock: QueryRunner, log: (line: string) => void, waitMs: number): Promise<void> {
  await lock.query('begin');
  await lock.query('set local idle_in_transaction_session_timeout = 0');
  const from = performance.now();
  for (let notified = false; ; ) {
    const lockResult = await row(
      lock.manager,
      sql<{ turn: boolean }>`select pg_try_advisory_xact_lock(${MIGRATION_LOCK_ID}) as turn`,
    );
    if (lockResult?.turn) return;
    const waitedMs = performance.now() - from;
    if (waitedMs > waitMs) throw new StartError(await describeLockHolder(lock));
    if (waitedMs > WAIT_NOTICE_AFTER_MS && !notified) {
      notified = true;
      log('Another process upgrades the database schema. Waiting for it.');
    }
    await sleep(notified ? POLL_INTERVAL_MS * 10 : POLL_INTERVAL_MS);
  }
}

async function describeLockHolder(lock: QueryRunner): Promise<string> {
  const holder = await row(
    lock.manager,
    sql<{ pid: number | null; state: string | null; address: string }>`
      select l.pid, a.state, coalesce(host(a.client_addr), 'this machine') as address
        from pg_locks l left join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'advisory' and l.granted and l.objid = ${MIGRATION_LOCK_ID}
          and l.database = (select oid from pg_database where datname = current_database())
        limit 1`,
  );
  const who = holder?.pid
    ? ` by process ${holder.pid} of the database (${holder.state ?? 'state unknown'}, from ${holder.address})`
    : '';
  const advice = holder?.pid
    ? `: end it with select pg_terminate_backend(${holder.pid}), then start Runward again`
    : '';
  return `The lock for schema upgrades is held${who} and was not released in time${advice}.`;
}

/**
 * Creates the application role. Roles belong to the whole server, so a migration of another database may create the
 * role at the same time.
 */
async function ensureAppRole(owner: DataSource, appLogin: string | null): Promise<void> {
  await owner.query(`
    do $$ begin
      if not exists (select from pg_roles where rolname = '${APP_ROLE}') then
        create role ${APP_ROLE} nologin nosuperuser nobypassrls;
      end if;
    exception when duplicate_object or unique_violation then null;
    end $$;
    grant usage on schema public to ${APP_ROLE};
  `);
  const login = await row(
    owner,
    // The cast tells that the view has no null names.
    sql<{ name: string; member: boolean }>`
      select rolname::text as name, pg_has_role(oid, '${sql.raw(APP_ROLE)}', 'member') as member
        from pg_roles where rolname = coalesce(${appLogin}, current_user)`,
  );
  if (!login)
    throw new StartError(`The database has no role ${appLogin}. Create it, or correct RUNWARD_DATABASE_APP_URL.`);
  if (!login.member) await owner.query(`grant ${APP_ROLE} to ${escapeIdentifier(login.name)}`);
}

async function checkMasterKey(owner: DataSource, masterKeyId: string): Promise<void> {
  await affected(owner, sql`insert into installation (master_key_id) values (${masterKeyId}) on conflict do nothing`);
  const installation = await row(
    owner,
    sql<{ master_key_id: string; next_master_key_id: string | null }>`
      select master_key_id, next_master_key_id from installation`,
  );
  if (installation?.next_master_key_id) {
    throw new StartError(`A change of the master key was interrupted. Finish it with ${ADMIN_COMMAND} key rotate.`);
  }
  if (installation && installation.master_key_id !== masterKeyId) {
    throw new StartError(
      `The master key (${masterKeyId}) is not the one that encrypted the secrets of this database (${installation.master_key_id}). Set RUNWARD_MASTER_KEY or RUNWARD_MASTER_KEY_FILE to that one. If a change of the key was interrupted, finish it with ${ADMIN_COMMAND} key rotate.`,
    );
  }
}
