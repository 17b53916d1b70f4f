import type { Client } from 'pg';
import { migrateDatabase, RESTORE_MARKER_TABLE } from '../common/database/boot/migrate.js';
import { row, sql } from '../common/database/sql.js';
import { StartError } from '../common/database/start-error.js';
import { raiseIncarnation } from '../common/installation/bind-installation.js';
import { stopInstallation } from '../common/installation/installation-state.js';
import type { ArchiveManifest } from './archive-format.js';
import { withOwnerSession } from './owner-session.js';
import { loadTables, type LoadOptions } from './restore-tables.js';

const RESTORE_LOCK_ID = 7_266_925;

export interface RestoreOptions extends LoadOptions {
  file: string;
  /** Of a checked archive. */
  manifest: ArchiveManifest;
  /** ID of the master key of the restored installation; null = not verified. */
  masterKeyId: string | null;
  /** Login of the application on an external database; null = login of the owner. */
  appLogin: string | null;
  say: (line: string) => void;
}

/**
 * Restores an archive into an empty database, and holds the installation. All rows appear in one transaction. Until
 * then, the database is marked, and no Runward starts on it.
 * @param url connection URL of the owner
 * @throws StartError if the database is not empty, or the content does not match the archive. The database then has no
 *   installation.
 */
export async function restoreDatabase(url: string, options: RestoreOptions): Promise<void> {
  const { file, manifest, masterKeyId, appLogin, say } = options;
  await withOwnerSession(url, async (client) => {
    const lock = await row(client, sql<{ held: boolean }>`select pg_try_advisory_lock(${RESTORE_LOCK_ID}) as held`);
    if (!lock?.held) throw new StartError('Another restore into this database is running.');
    await prepareEmptyDatabase(client);
    await migrateDatabase(url, null, appLogin, say, undefined, new Set(manifest.header.migrations));
    await client.query('begin');
    try {
      await loadTables(client, file, manifest, options);
      await holdRestoredInstallation(client, manifest);
      await client.query(`drop table ${RESTORE_MARKER_TABLE}`);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
    await client.query('analyze');
  });
  await migrateDatabase(url, masterKeyId, appLogin, say);
}

/** Empties the database after an interrupted restore. @throws StartError if it contains anything else */
async function prepareEmptyDatabase(client: Client): Promise<void> {
  const found = await row(
    client,
    sql<{ marked: boolean; relation: string | null }>`
      select to_regclass('public.runward_restore') is not null as marked, (
        select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname <> 'information_schema' and n.nspname !~ '^pg_' and c.relkind in ('r', 'p', 'v', 'm', 'S')
            and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
          order by n.nspname = 'public' and c.relname = 'tenants' desc, 1 limit 1) as relation`,
  );
  if (found?.marked) await emptyDatabase(client);
  else if (found?.relation)
    throw new StartError(
      `The database is not empty: it has ${found.relation}. Nothing was changed. Restore into an empty database.`,
    );
  await client.query(
    `create table if not exists public.${RESTORE_MARKER_TABLE} (since timestamptz not null default now())`,
  );
}

/** Drops everything of an interrupted restore but its mark. */
async function emptyDatabase(client: Client): Promise<void> {
  await client.query(`
    drop schema if exists pgboss cascade;
    do $$
      declare
        item record;
      begin
        for item in select c.oid::regclass as name from pg_class c
          where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
            and c.relname <> '${RESTORE_MARKER_TABLE}'
            and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
        loop execute format('drop table if exists %s cascade', item.name); end loop;
        for item in select p.oid::regprocedure as name from pg_proc p
          where p.pronamespace = 'public'::regnamespace
            and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
        loop execute format('drop function if exists %s cascade', item.name); end loop;
        for item in select c.oid::regclass as name from pg_class c
          where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'
            and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
        loop execute format('drop sequence if exists %s cascade', item.name); end loop;
      end
    $$`);
}

/** Cause `person`: a start at the original location does not end the hold. */
async function holdRestoredInstallation(client: Client, { header }: ArchiveManifest): Promise<void> {
  await raiseIncarnation(client);
  await stopInstallation(client, {
    state: 'held',
    cause: 'person',
    reason: `Restored from the backup of ${header.createdAt.slice(0, 19)}Z.`,
  });
}
