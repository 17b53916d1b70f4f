import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { basename, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { backUpDatabase, type BackupSummary } from '../backup/back-up-database.js';
import { backUpToFile } from '../backup/backup-file.js';
import { listBackups, recordBackup } from '../backup/backup-record.js';
import { withOwnerSession } from '../backup/owner-session.js';
import { restoreInstallation } from '../backup/restore-installation.js';
import { type VerifyAudit, verifyBackup } from '../backup/verify-backup.js';
import { connectToDatabase } from '../common/database/boot/reach-database.js';
import { startEmbeddedPostgres } from '../common/database/embedded/embedded-postgres.js';
import { row, sql } from '../common/database/sql.js';
import { describeSystemError, StartError } from '../common/database/start-error.js';
import { loadMasterKey } from '../common/settings/master-key-file.js';
import { readSettings, type Settings } from '../common/settings/settings.js';

const STANDARD_OUTPUT = '-';
const MIN_RSA_BITS = 2048;
const LISTED_BACKUPS = 20;

interface BackupOptions {
  sealKeyTo?: string;
  scheduled?: boolean;
}

export function addBackupCommands(program: Command, verifyAudit: VerifyAudit, say: (line: string) => void): void {
  // Standard output may be the archive.
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const backup = program
    .command('backup')
    .description('Back up this installation, also while it runs.')
    .argument('[file]', 'new file for the backup; - writes it to standard output')
    .option('--seal-key-to <file>', 'add the master key, encrypted to this RSA public key (PEM)')
    // For the service, which records the backup itself.
    .addOption(new Option('--scheduled').hideHelp())
    .action(async (file: string | undefined, options: BackupOptions) => {
      if (file === undefined)
        throw new StartError('Name the file to write: npm run admin -- backup FILE. To list backups: backup list.');
      await backUp(readSettings(process.env), file, options, file === STANDARD_OUTPUT ? report : say);
    });
  backup
    .command('list')
    .description('List the newest backups, with size or error.')
    .action(async () => {
      const settings = readSettings(process.env);
      const found = await withDatabase(settings, say, (url) =>
        withOwnerSession(url, (client) => listBackups(client, LISTED_BACKUPS)),
      );
      for (const each of found)
        say(
          `${each.endedAt.toISOString()}  ${each.scheduled ? 'scheduled' : 'command  '}  ${each.file ?? 'standard output'}  ${each.error ? `FAILED: ${each.error}` : `${each.bytes} bytes`}`,
        );
      if (found.length === 0) say('No backup was made.');
    });
  backup
    .command('verify')
    .description('Restore a backup into a temporary database and verify it. Changes nothing.')
    .argument('<file>', 'backup to verify')
    .action((file: string) => verifyBackup(readSettings(process.env), resolve(file), verifyAudit, say));
  for (const parent of [backup, program])
    parent
      .command('restore')
      .description('Restore a backup into an empty place, and hold the installation.')
      .argument('<file>', 'backup to restore')
      .action(async (file: string) => {
        const { header } = await restoreInstallation(readSettings(process.env), resolve(file), say);
        say(`Restored installation ${header.installation.identity} as of ${header.createdAt}. It is held.`);
        say(
          'Start Runward, check the data, then run: npm run admin -- installation. It names the command that resumes it.',
        );
      });
}

async function backUp(
  settings: Settings,
  file: string,
  { sealKeyTo, scheduled = false }: BackupOptions,
  say: (line: string) => void,
): Promise<void> {
  const toOutput = file === STANDARD_OUTPUT;
  // Requests and runs come first.
  setPriority(constants.priority.PRIORITY_LOW);
  if (toOutput && process.stdout.isTTY)
    throw new StartError('Standard output is a terminal. Redirect it to a file or a program.');
  const recipient = sealKeyTo === undefined ? null : await readRecipient(sealKeyTo);
  await withDatabase(settings, say, async (url) => {
    const startedAt = new Date();
    const sealed = recipient
      ? { recipient, masterKey: (await loadMasterKey(settings)).masterKey.key.toString('base64') }
      : undefined;
    const summary = toOutput
      ? await backUpDatabase(url, process.stdout, { sealed })
      : await backUpToFile(url, resolve(file), { sealed });
    if (!scheduled) await recordCommand(url, toOutput ? null : basename(file), startedAt, summary);
    const { createdAt, tables, rows, bytes } = summary;
    say(`Backup of ${createdAt}: ${tables} tables, ${rows} rows, ${bytes} bytes.`);
    say(
      sealed
        ? 'The backup contains the master key, encrypted to the public key.'
        : 'The backup does not contain the master key. Keep a copy of the master key apart from the backups.',
    );
  });
}

/** Databases of older versions have no table for it. */
async function recordCommand(
  url: string,
  file: string | null,
  startedAt: Date,
  { bytes }: BackupSummary,
): Promise<void> {
  await withOwnerSession(url, async (client) => {
    const table = await row(
      client,
      sql<{ exists: boolean }>`select to_regclass('public.backups') is not null as exists`,
    );
    if (table?.exists) await recordBackup(client, { scheduled: false, startedAt, file, bytes, error: null });
  });
}

/** Runs `work` with the owner's URL. Starts the embedded database if no Runward runs, and does not migrate it. */
async function withDatabase<T>(
  { databaseUrl, dataDir }: Settings,
  log: (line: string) => void,
  work: (url: string) => Promise<T>,
): Promise<T> {
  if (databaseUrl !== undefined) return work(await connectToDatabase(databaseUrl, 'DATABASE_URL'));
  const embedded = await startEmbeddedPostgres({ dataDir, log, share: true });
  try {
    return await work(embedded.url);
  } finally {
    await embedded.stop();
  }
}

async function readRecipient(file: string): Promise<KeyObject> {
  let key: KeyObject;
  try {
    key = createPublicKey(await readFile(file));
  } catch (error) {
    throw new StartError(`${file} is not a public key in PEM format (${describeSystemError(error)}).`);
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < MIN_RSA_BITS)
    throw new StartError(`${file} must be an RSA public key of at least ${MIN_RSA_BITS} bits.`);
  return key;
}
