import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describeSystemError, StartError } from '../common/database/start-error.js';
import { syncFolder } from '../common/settings/master-key-file.js';
import { backUpDatabase, type BackupOptions, type BackupSummary } from './back-up-database.js';

const PARTIAL_SUFFIX = '.partial';
const FULL_DISK_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'];

/**
 * Writes a backup to a file. The file appears when it is complete and on the disk; an existing file is never replaced.
 * @throws StartError if the file cannot be written
 */
export async function backUpToFile(url: string, file: string, options: BackupOptions = {}): Promise<BackupSummary> {
  const draft = `${file}${PARTIAL_SUFFIX}`;
  if (await exists(file)) throw new StartError(`${file} exists. Choose another name.`);
  const { signal } = options;
  let target: WriteStream | undefined;
  try {
    await rm(draft, { force: true });
    // `flush`: the file is on the disk before it gets its name.
    target = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    await once(target, 'open');
    const summary = await backUpDatabase(url, target, options);
    signal?.throwIfAborted();
    await rename(draft, file);
    await syncFolder(dirname(file));
    return summary;
  } catch (error) {
    target?.destroy();
    await rm(draft, { force: true });
    if ((error as { syscall?: string }).syscall !== undefined && (error as { path?: string }).path !== undefined)
      throw new StartError(`${file} cannot be written (${describeSystemError(error)}).`);
    if (FULL_DISK_CODES.includes((error as { code?: string }).code ?? ''))
      throw new StartError(`${file} cannot be written (${describeSystemError(error)}). No backup was kept.`);
    throw error;
  }
}

const exists = async (file: string): Promise<boolean> =>
  open(file, 'r').then(
    (handle) => handle.close().then(() => true),
    (error: unknown) => (error as { code?: string }).code !== 'ENOENT',
  );

const FILE_PATTERN = /^runward-[0-9a-f]{8}-\d{8}T\d{6}Z\.tar$/;

/** Name of a scheduled backup: installation and time (UTC), so that names sort by time. */
export const scheduledFileName = (identity: string, at: Date): string =>
  `runward-${identity.slice(0, 8)}-${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.tar`;

/**
 * Deletes all but the newest scheduled backups of this installation, and what killed backups left. Only for the process
 * that holds the lock of scheduled backups.
 * @returns names of the deleted backups
 */
export async function rotateBackups(folder: string, identity: string, keep: number): Promise<string[]> {
  const prefix = `runward-${identity.slice(0, 8)}-`;
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix)).sort();
  const complete = names.filter((name) => FILE_PATTERN.test(name));
  const spent = complete.slice(0, Math.max(0, complete.length - keep));
  const leftovers = names.filter(
    (name) => name.endsWith(PARTIAL_SUFFIX) && FILE_PATTERN.test(basename(name, PARTIAL_SUFFIX)),
  );
  for (const name of [...spent, ...leftovers]) await rm(join(folder, name), { force: true });
  return spent;
}
