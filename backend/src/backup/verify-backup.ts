import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { checkStoredSecrets } from '../boot/check-stored-secrets.js';
import { checkRowLevelSecurity } from '../common/database/boot/boot-checks.js';
import { createAppConnectionOptions } from '../common/database/connection.js';
import { startEmbeddedPostgres } from '../common/database/embedded/embedded-postgres.js';
import { StartError } from '../common/database/start-error.js';
import type { Runtime } from '../common/settings/runtime.js';
import type { Settings } from '../common/settings/settings.js';
import { checkArchive } from './archive-reader.js';
import { restoreDatabase } from './restore-database.js';
import { readMatchingKey } from './restore-installation.js';

/** Verifies the audit trails of a runtime. @returns whether all are intact */
export type VerifyAudit = (runtime: Runtime) => Promise<boolean>;

/**
 * Restores an archive into a temporary server and verifies it: checksums, rows, row-level security, secrets, audit
 * trails. Removes the server afterwards.
 * @throws StartError with one line per fault
 */
export async function verifyBackup(
  settings: Settings,
  file: string,
  verifyAudit: VerifyAudit,
  say: (line: string) => void,
): Promise<void> {
  const manifest = await checkArchive(file);
  say(`Checksums: ${manifest.entries.length} entries are intact.`);
  const masterKey = await readMatchingKey(settings, file, manifest);
  const folder = await mkdtemp(join(tmpdir(), 'runward-verify-'));
  try {
    const server = await startEmbeddedPostgres({ dataDir: folder, log: () => undefined, settings: { fsync: 'off' } });
    try {
      await restoreDatabase(server.url, {
        file,
        manifest,
        masterKeyId: masterKey.id,
        appLogin: null,
        compare: true,
        say,
      });
      const total = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
      say(
        `Content: ${manifest.tables.length} tables with ${total} rows have the counts and checksums of the manifest.`,
      );
      await requireRowLevelSecurity(server.appUrl);
      say('Row-level security: complete.');
      await checkStoredSecrets(server.url, masterKey);
      say('Secrets: the master key opens a sample of each kind.');
      const runtime: Runtime = {
        settings: { ...settings, dataDir: folder, databaseUrl: undefined, databaseAppUrl: undefined },
        databaseUrl: server.appUrl,
        databaseLogin: 'own',
        databaseFolder: undefined,
        masterKey,
        processName: 'backup-verify',
      };
      if (!(await verifyAudit(runtime))) throw new StartError('An audit trail of the backup is not intact.');
    } finally {
      await server.stop();
    }
  } finally {
    // The database is elsewhere if its user cannot enter the temporary folder.
    const database = await realpath(join(folder, 'postgres')).catch(() => folder);
    for (const each of [database, folder]) await rm(each, { recursive: true, force: true });
  }
  say(`${file} is a complete backup of ${manifest.header.createdAt}, made by Runward ${manifest.header.runward}.`);
}

async function requireRowLevelSecurity(appUrl: string): Promise<void> {
  const source = await new DataSource(createAppConnectionOptions(appUrl, 1)).initialize();
  try {
    const faults = await checkRowLevelSecurity(source);
    if (faults.length > 0) throw new StartError(faults.join('\n'));
  } finally {
    await source.destroy();
  }
}
