import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { StartError } from '../common/database/start-error.js';

/** Most characters of an error that are kept. */
const MAX_ERROR_CHARACTERS = 2_000;

/** Writes a backup to the file. @returns bytes of the file. @throws StartError with the reason; the file may be partial */
export type WriteBackup = (file: string, signal: AbortSignal) => Promise<number>;

/**
 * Writes backups in another process of low priority, so that compression and checksums do not delay requests.
 * @param program path of the built admin program
 */
export const writeBackupInProcess =
  (program: string): WriteBackup =>
  async (file, signal) => {
    const child = spawn(process.execPath, [program, 'backup', file, '--scheduled'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      signal,
    });
    let errors = '';
    child.stderr.on('data', (bytes: Buffer) => (errors = (errors + bytes.toString()).slice(-MAX_ERROR_CHARACTERS)));
    const code = await new Promise<number | string>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (status, killedBy) => resolve(status ?? killedBy ?? 'unknown'));
    });
    if (code !== 0) throw new StartError(errors.trim() || `The backup process ended with ${code}.`);
    return (await stat(file)).size;
  };
