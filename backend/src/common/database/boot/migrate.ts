import { setTimeout as sleep } from 'node:timers/promises';
import { escapeIdentifier } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { installQueue } from '../../queue/install-queue.js';
import { APP_ROLE, ownerConnection } from '../connection.js';
import { MIGRATIONS } from '../migrations/all-migrations.js';
import { demandCurrentCode } from '../schema-generation.js';
import { StartError } from '../start-error.js';

// Any constant will do; it only has to be the same in every process.
const MIGRATION_LOCK = 7_266_923;

/** Where nothing is to be done, another process is through within this time, in ms. */
const SILENT_WAIT_MS = 3_000;
const LOOK_MS = 50;

/** Oldest PostgreSQL that the migrations and queries were tested on, as `server_version_num`. */
const OLDEST_SERVER = 150_000;

/**
 * Brings the database to this version's schema, as its owner: the application role, the tables, the queue. Safe to
 * call from any number of processes at once; they wait for one another.
 * @param url connection URL of the owner
 * @param masterKeyId id of the key that this process seals secrets with; null: whoever calls looks after that
 * @param appLogin the role that the application signs in as, which is let act as the application role; null: the owner's
 * @param log told when another process migrates, for which this one waits
 * @throws StartError when the server or this code is too old, or the database's secrets were sealed with another key
 */
export async function migrateDatabase(
  url: string,
  masterKeyId: string | null,
  appLogin: string | null = null,
  log: (line: string) => void = () => undefined,
): Promise<void> {
  const owner = await new DataSource({
    ...ownerConnection(url),
    migrations: MIGRATIONS,
    migrationsTableName: 'runward_migrations',
    migrationsTransactionMode: 'each',
  }).initialize();
  const lock = owner.createQueryRunner();
  try {
    const [server] = (await lock.query(`select current_setting('server_version_num')::int as version`)) as [
      { version: number },
    ];
    if (server.version < OLDEST_SERVER) {
      throw new StartError(
        `The database is PostgreSQL ${Math.floor(server.version / 10_000)}; Runward needs 15 or newer.`,
      );
    }
    await takeTurn(lock, log);
    await demandCurrentCode((sql) => owner.query(sql));
    await ensureAppRole(owner, appLogin);
    await owner.runMigrations();
    await installQueue(url, owner);
    if (masterKeyId !== null) await checkMasterKey(owner, masterKeyId);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
    await owner.destroy();
  }
}

async function takeTurn(lock: QueryRunner, log: (line: string) => void): Promise<void> {
  const deadline = performance.now() + SILENT_WAIT_MS;
  while (performance.now() < deadline) {
    const [taken] = (await lock.query('select pg_try_advisory_lock($1) as turn', [MIGRATION_LOCK])) as [
      { turn: boolean },
    ];
    if (taken.turn) return;
    await sleep(LOOK_MS);
  }
  log('Another process brings the database up to date; waiting for it.');
  await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
}

/** Roles belong to the whole server, so another database's migration may be making the same one right now. */
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
  const [login] = await owner.query<{ name: string; member: boolean }[]>(
    `select rolname as name, pg_has_role(oid, '${APP_ROLE}', 'member') as member
      from pg_roles where rolname = coalesce($1, current_user)`,
    [appLogin],
  );
  if (!login) throw new StartError(`The database has no role ${appLogin}: make it, or mend RUNWARD_DATABASE_APP_URL.`);
  if (!login.member) await owner.query(`grant ${APP_ROLE} to ${escapeIdentifier(login.name)}`);
}

async function checkMasterKey(owner: DataSource, masterKeyId: string): Promise<void> {
  await owner.query('insert into installation (master_key_id) values ($1) on conflict do nothing', [masterKeyId]);
  const [row] = await owner.query<{ master_key_id: string; next_master_key_id: string | null }[]>(
    'select master_key_id, next_master_key_id from installation',
  );
  if (row?.next_master_key_id) {
    throw new StartError('A change of the master key was cut off: finish it with npm run admin -- key rotate.');
  }
  if (row && row.master_key_id !== masterKeyId) {
    throw new StartError(
      `The master key (${masterKeyId}) is not the one that this database's secrets are sealed with (${row.master_key_id}): set RUNWARD_MASTER_KEY or RUNWARD_MASTER_KEY_FILE to that one. If a change of the key was cut off, finish it with npm run admin -- key rotate.`,
    );
  }
}
