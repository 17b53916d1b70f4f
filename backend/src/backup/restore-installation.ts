import { lstat, readFile, readlink, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readLoginName } from '../common/database/connection.js';
import { connectToDatabase } from '../common/database/boot/reach-database.js';
import { lockDataFolder } from '../common/database/embedded/data-folder-lock.js';
import { startEmbeddedPostgres } from '../common/database/embedded/embedded-postgres.js';
import { locateCluster } from '../common/database/embedded/postgres-cluster.js';
import { findRunningServer, stopServer } from '../common/database/embedded/postgres-server.js';
import { StartError } from '../common/database/start-error.js';
import { createDataFolder } from '../common/settings/data-folder.js';
import { KEY_FILE_NAME, parseStoredKey, readKeyFile, syncFolder } from '../common/settings/master-key-file.js';
import type { Settings } from '../common/settings/settings.js';
import type { MasterKey } from '../common/crypto/master-key.js';
import type { ArchiveManifest } from './archive-format.js';
import { checkArchive } from './archive-reader.js';
import { restoreDatabase } from './restore-database.js';

const DATABASE_FOLDER = 'postgres';
/** Data folder of the server of a restore. Its database is renamed to its final name at the end. */
const DRAFT_FOLDER = 'postgres.restoring';

/**
 * Restores an archive into the empty place that the settings name.
 * @throws StartError or SettingsError with one line; nothing was changed, or the restore can be repeated
 */
export async function restoreInstallation(
  settings: Settings,
  file: string,
  say: (line: string) => void,
): Promise<ArchiveManifest> {
  const manifest = await checkArchive(file);
  const masterKey = await readMatchingKey(settings, file, manifest);
  const masterKeyId = masterKey.id;
  if (settings.databaseUrl === undefined) {
    await restoreEmbedded(settings.dataDir, say, (url) =>
      restoreDatabase(url, { file, manifest, masterKeyId, appLogin: null, compare: false, say }),
    );
  } else {
    const url = await connectToDatabase(settings.databaseUrl, 'DATABASE_URL');
    const appLogin = settings.databaseAppUrl === undefined ? null : readLoginName(settings.databaseAppUrl);
    await restoreDatabase(url, { file, manifest, masterKeyId, appLogin, compare: false, say });
  }
  return manifest;
}

/** @throws StartError if there is no master key, or another one than that of the backup. Never generates one. */
export async function readMatchingKey(
  { masterKey, dataDir }: Pick<Settings, 'masterKey' | 'dataDir'>,
  file: string,
  { header }: ArchiveManifest,
): Promise<MasterKey> {
  const { base64, file: keyFile } = masterKey;
  const path = keyFile ?? join(dataDir, KEY_FILE_NAME);
  if (base64 === undefined && keyFile === undefined && (await readFile(path).catch(() => null)) === null)
    throw new StartError(
      `${file} needs the master key ${header.masterKeyId}. Copy it to ${path}, or set RUNWARD_MASTER_KEY or RUNWARD_MASTER_KEY_FILE.`,
    );
  const key = parseStoredKey(base64 ?? (await readKeyFile(path)), base64 === undefined ? path : 'RUNWARD_MASTER_KEY');
  if (key.id !== header.masterKeyId)
    throw new StartError(
      `The master key (${key.id}) is not the one that encrypted the secrets of ${file} (${header.masterKeyId}). Set RUNWARD_MASTER_KEY or RUNWARD_MASTER_KEY_FILE to that one.`,
    );
  return key;
}

/** Restores beside the final name, then renames: a killed restore leaves no database. */
async function restoreEmbedded(
  dataDir: string,
  say: (line: string) => void,
  restore: (url: string) => Promise<void>,
): Promise<void> {
  await createDataFolder(dataDir);
  const unlock = await lockDataFolder(dataDir);
  try {
    const target = join(dataDir, DATABASE_FOLDER);
    if (await lstat(target).catch(() => null))
      throw new StartError(
        `${dataDir} already contains a database (${target}). Nothing was changed. Stop Runward and move ${target} away, or set RUNWARD_DATA_DIR to an empty folder.`,
      );
    const draft = join(dataDir, DRAFT_FOLDER);
    await removeDraft(draft);
    const server = await startEmbeddedPostgres({ dataDir: draft, log: say });
    try {
      await restore(server.url);
      await server.stop();
    } catch (error) {
      await server.stop();
      await removeDraft(draft);
      throw error;
    }
    await rename(join(draft, DATABASE_FOLDER), target);
    await syncFolder(dataDir);
    await rm(draft, { recursive: true, force: true });
  } finally {
    await unlock();
  }
}

async function removeDraft(draft: string): Promise<void> {
  const data = await locateCluster(draft);
  const server = data === undefined ? undefined : await findRunningServer(data);
  if (server) await stopServer(server);
  // The user of the database may be unable to enter the data folder. Then the database is elsewhere.
  const link = await readlink(join(draft, DATABASE_FOLDER)).catch(() => null);
  if (link !== null) await rm(await realpath(link).catch(() => link), { recursive: true, force: true });
  await rm(draft, { recursive: true, force: true });
}
