import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLoginName } from '../common/database/connection.js';
import { connectToDatabase } from '../common/database/boot/reach-database.js';
import { startEmbeddedPostgres } from '../common/database/embedded/embedded-postgres.js';
import { StartError } from '../common/database/start-error.js';
import { KEY_FILE_NAME, parseStoredKey, readKeyFile } from '../common/settings/master-key-file.js';
import type { Settings } from '../common/settings/settings.js';
import type { MasterKey } from '../common/crypto/master-key.js';
import type { ArchiveManifest } from './archive-format.js';
import { checkArchive } from './archive-reader.js';
import { restoreDatabase } from './restore-database.js';

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
    const server = await startEmbeddedPostgres({ dataDir: settings.dataDir, log: say });
    try {
      await restoreDatabase(server.url, { file, manifest, masterKeyId, appLogin: null, compare: false, say });
    } finally {
      await server.stop();
    }
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
