import { randomUUID } from 'node:crypto';
import { link, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { generateMasterKey, type MasterKey, parseMasterKey } from '../crypto/master-key.js';
import { createDataFolder } from './data-folder.js';
import { type Settings, SettingsError } from './settings.js';

export interface LoadedMasterKey {
  readonly masterKey: MasterKey;
  readonly warning?: string;
}

export const KEY_FILE_NAME = 'master.key';

/**
 * Loads the key that encrypts stored data: from the environment, from the named file, or from `master.key` in the data
 * folder. The first start generates that file with mode 0600.
 * @throws SettingsError if a key exists but is invalid, because a new key would make all stored data unreadable
 */
export async function loadMasterKey(settings: Pick<Settings, 'masterKey' | 'dataDir'>): Promise<LoadedMasterKey> {
  const { base64, file } = settings.masterKey;
  if (base64 !== undefined) return { masterKey: parseStoredKey(base64, 'RUNWARD_MASTER_KEY') };
  if (file !== undefined)
    return { masterKey: parseStoredKey(await readKeyFile(file), `RUNWARD_MASTER_KEY_FILE: ${file}`) };

  const path = join(settings.dataDir, KEY_FILE_NAME);
  const stored = await readFileIfPresent(path);
  if (stored !== undefined) {
    await removeDrafts(settings.dataDir);
    return { masterKey: parseStoredKey(stored, path), warning: await findExposureWarning(path) };
  }
  const generated = generateMasterKey();
  if (await writeKeyFileOnce(settings.dataDir, path, generated.base64)) {
    return {
      masterKey: generated.masterKey,
      warning: `A new master key was written to ${path}. Keep a copy elsewhere: without it stored keys and secrets can't be read.`,
    };
  }
  // Another process of this installation has written a key first, so that key is used.
  return { masterKey: parseStoredKey(await readKeyFile(path), path) };
}

/** @throws SettingsError that names the location `where` */
export function parseStoredKey(base64: string, where: string): MasterKey {
  try {
    return parseMasterKey(base64.trim());
  } catch {
    throw new SettingsError([`${where} does not contain a master key (32 bytes in base64).`]);
  }
}

export async function readKeyFile(path: string): Promise<string> {
  const text = await readFileIfPresent(path);
  if (text === undefined) throw new SettingsError([`The master key file ${path} doesn't exist.`]);
  return text;
}

export async function readFileIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return undefined;
    throw new SettingsError([`The master key file ${path} can't be read (${readErrorCode(error)}).`]);
  }
}

async function findExposureWarning(path: string): Promise<string | undefined> {
  const { mode } = await stat(path);
  return (mode & 0o077) === 0 ? undefined : `${path} can be read by others on this machine: chmod 600 it.`;
}

/** Writes the complete file atomically and never overwrites one. Returns false if the file exists. */
export async function writeKeyFileOnce(folder: string, path: string, base64: string): Promise<boolean> {
  const draftPath = `${path}.${randomUUID()}`;
  try {
    await createDataFolder(folder);
    const handle = await open(draftPath, 'wx', 0o600);
    try {
      await handle.writeFile(`${base64}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draftPath, path);
    await syncFolder(folder);
    return true;
  } catch (error) {
    // ENOENT: another process found the key file and deleted this draft.
    if (['EEXIST', 'ENOENT'].includes(readErrorCode(error)) && (await readFileIfPresent(path)) !== undefined)
      return false;
    throw new SettingsError([`The master key can't be written to ${path} (${readErrorCode(error)}).`]);
  } finally {
    await rm(draftPath, { force: true }).catch(() => undefined);
  }
}

const DRAFT_FILE_PATTERN = new RegExp(
  `^${KEY_FILE_NAME.replace('.', '\\.')}(?:\\.next)?\\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`,
);

/** Deletes drafts that killed processes left behind, because drafts may contain the key. */
export async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (DRAFT_FILE_PATTERN.test(name)) await rm(join(folder, name), { force: true });
}

/** Flushes the directory entry. Otherwise a power failure could lose the key, and with it all secrets. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function readErrorCode(error: unknown): string {
  return String((error as { code?: unknown }).code ?? error);
}
