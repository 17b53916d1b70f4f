import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessAlive, readProcessMark, type ProcessMark } from './processes.js';
import { describeSystemError, toReason, StartError } from '../start-error.js';

const LOCK_FILE_NAME = 'runward.lock';

export class DataFolderHeldError extends StartError {
  constructor(
    folder: string,
    readonly pid: number,
  ) {
    super(`The data folder ${folder} is in use by another Runward (process ${pid}). Stop it, or set RUNWARD_DATA_DIR.`);
  }
}

/**
 * Locks the data folder for this process and returns a function that unlocks it. Takes over the lock of a dead process.
 * The lock records process number, start time and boot, so a reused process number does not keep a stale lock valid.
 */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, LOCK_FILE_NAME);
  const ownMark = JSON.stringify(await readProcessMark(process.pid));
  const draftPath = `${path}.${randomUUID()}`;
  try {
    await writeFile(draftPath, ownMark, { mode: 0o600, flag: 'wx' });
    // A hard link appears together with the whole file, so no process reads a partial lock.
    while (!(await createLockLink(draftPath, path))) await removeStaleLock(folder, path);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`The data folder ${folder} is not writable (${describeSystemError(error)}).`);
  } finally {
    await rm(draftPath, { force: true }).catch(() => undefined);
  }
  return async () => {
    if ((await readFileIfPresent(path)) === ownMark) await rm(path, { force: true });
  };
}

async function createLockLink(draftPath: string, path: string): Promise<boolean> {
  try {
    await link(draftPath, path);
    return true;
  } catch (error) {
    if (toReason(error) === 'EEXIST') return false;
    throw error;
  }
}

async function removeStaleLock(folder: string, path: string): Promise<void> {
  const seen = await readFileIfPresent(path);
  if (seen === undefined) return;
  const holder = parseProcessMark(seen);
  if (holder !== undefined && (await isProcessAlive(holder))) throw new DataFolderHeldError(folder, holder.pid);
  const stalePath = `${path}.${randomUUID()}`;
  try {
    await rename(path, stalePath);
  } catch {
    return; // another process removed the stale lock first
  }
  // Between reading and moving, another process may have replaced the stale lock with its live one: restore that.
  if ((await readFileIfPresent(stalePath)) !== seen) await link(stalePath, path).catch(() => undefined);
  await rm(stalePath, { force: true });
}

function parseProcessMark(text: string): ProcessMark | undefined {
  try {
    const value = JSON.parse(text) as Partial<ProcessMark>;
    const { pid, startTicks, bootId } = value;
    return pid !== undefined && startTicks !== undefined && bootId !== undefined
      ? { pid, startTicks, bootId }
      : undefined;
  } catch {
    return undefined;
  }
}

async function readFileIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
