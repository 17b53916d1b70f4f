import { link, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { generateMasterKey, type MasterKey } from '../crypto/master-key.js';
import {
  KEY_FILE_NAME,
  parseStoredKey,
  readFileIfPresent,
  readKeyFile,
  removeDrafts,
  syncFolder,
  writeKeyFileOnce,
} from './master-key-file.js';
import { type Settings, SettingsError } from './settings.js';

export interface MasterKeyChange {
  readonly old: MasterKey;
  readonly new: MasterKey;
  /** Replaces the old key with the new one. Can be repeated after an interruption. */
  finish(): Promise<void>;
  readonly advice: string;
}

/**
 * Loads the keys of a key change. Keys from the environment must both be set. For the key file of the data folder, the
 * first call generates the new key beside it; a call after an interruption finds that key.
 * @throws SettingsError
 */
export async function loadMasterKeyChange(
  settings: Pick<Settings, 'masterKey' | 'newMasterKey' | 'dataDir'>,
): Promise<MasterKeyChange> {
  const [present, next] = [
    await readGivenKey(settings.masterKey, ''),
    await readGivenKey(settings.newMasterKey, 'NEW_'),
  ];
  if (present && next) {
    const advice =
      'Set RUNWARD_MASTER_KEY or RUNWARD_MASTER_KEY_FILE to the new key before you start Runward. Keep the old one as long as you keep earlier backups.';
    return { old: present, new: next, finish: () => Promise.resolve(), advice };
  }
  if (present) {
    throw new SettingsError([
      'The master key comes from the environment. Set the new one in RUNWARD_NEW_MASTER_KEY or RUNWARD_NEW_MASTER_KEY_FILE.',
    ]);
  }
  if (next) {
    throw new SettingsError([
      'RUNWARD_NEW_MASTER_KEY applies only to a master key from the environment. The key in the data folder is replaced by a generated one.',
    ]);
  }
  return loadChangeInDataFolder(settings.dataDir);
}

async function loadChangeInDataFolder(dataDir: string): Promise<MasterKeyChange> {
  const path = join(dataDir, KEY_FILE_NAME);
  const [nextPath, oldPath] = [`${path}.next`, `${path}.old`];
  const old = parseStoredKey(await readKeyFile(path), path);
  await writeKeyFileOnce(dataDir, nextPath, generateMasterKey().base64);
  const change = parseStoredKey(await readKeyFile(nextPath), nextPath);
  return {
    old,
    new: change,
    advice: `The new master key is in ${path}. Copy it elsewhere, and keep the old copy as long as you keep earlier backups.`,
    finish: async () => {
      await rm(oldPath, { force: true });
      await link(path, oldPath);
      await rename(nextPath, path);
      await syncFolder(dataDir);
      await rm(oldPath, { force: true });
      await removeDrafts(dataDir);
    },
  };
}

async function readGivenKey(source: Settings['masterKey'], infix: string): Promise<MasterKey | undefined> {
  const { base64, file } = source;
  if (base64 !== undefined) return parseStoredKey(base64, `RUNWARD_${infix}MASTER_KEY`);
  if (file === undefined) return undefined;
  const text = await readFileIfPresent(file);
  if (text === undefined) throw new SettingsError([`The master key file ${file} doesn't exist.`]);
  return parseStoredKey(text, `RUNWARD_${infix}MASTER_KEY_FILE: ${file}`);
}
