import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { EXIT } from '../terminal/exit-codes.ts';
import { createFailure, usage } from '../terminal/failure.ts';
import type { Surroundings } from '../terminal/surroundings.ts';

/** Configuration stored by `runward login`. The token is valid only for this address. */
export interface StoredConfig {
  url: string;
  token: string;
}

const GROUP_AND_OTHERS_MODE = 0o077;

export function getConfigPath({ env }: Pick<Surroundings, 'env'>): string {
  const given = env.XDG_CONFIG_HOME;
  // The XDG Base Directory Specification requires programs to ignore a relative path.
  const home = given && path.isAbsolute(given) ? given : path.join(env.HOME || os.homedir(), '.config');
  return path.join(home, 'runward', 'config.json');
}

/**
 * Returns null if there is no file.
 * @throws Failure when others can read the file, or its format is wrong
 */
export async function readConfig(surroundings: Pick<Surroundings, 'env'>): Promise<StoredConfig | null> {
  const file = getConfigPath(surroundings);
  let text: string;
  try {
    await refuseOpenFile(file);
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (error instanceof Error && 'code' in error && typeof error.code === 'string')
      throw usage(`${file} cannot be read (${error.code}).`);
    throw error;
  }
  const kept = parseConfig(text);
  if (kept === null) throw usage(`${file} has an unknown format.`, ['Delete it and run `runward login` again.']);
  return kept;
}

async function refuseOpenFile(file: string): Promise<void> {
  const { mode, uid } = await stat(file);
  const own = process.getuid?.();
  if (own !== undefined && uid !== own)
    throw createFailure('config_unsafe', 'Unsafe file', `${file} belongs to another user.`, EXIT.usage);
  if ((mode & GROUP_AND_OTHERS_MODE) !== 0)
    throw createFailure(
      'config_unsafe',
      'Unsafe file',
      `${file} holds a token and can be read by others.`,
      EXIT.usage,
      [`Run \`chmod 600 ${file}\`. Revoke the token if another user may have read it.`],
    );
}

function parseConfig(text: string): StoredConfig | null {
  try {
    const { url, token } = JSON.parse(text) as Partial<StoredConfig>;
    return typeof url === 'string' && typeof token === 'string' ? { url, token } : null;
  } catch {
    return null;
  }
}

/**
 * Writes the file atomically. Other users can never read it.
 * @returns path of the file
 */
export async function writeConfig(surroundings: Pick<Surroundings, 'env'>, kept: StoredConfig): Promise<string> {
  const file = getConfigPath(surroundings);
  const folder = path.dirname(file);
  const fresh = path.join(folder, `.config.${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(fresh, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(kept, null, 2)}\n`);
    } finally {
      await handle.close();
    }
    await chmod(fresh, 0o600);
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    throw usage(`${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
  return file;
}

export async function removeConfig(surroundings: Pick<Surroundings, 'env'>): Promise<boolean> {
  try {
    await rm(getConfigPath(surroundings));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw usage(`${getConfigPath(surroundings)} cannot be deleted (${(error as NodeJS.ErrnoException).code ?? ''}).`);
  }
}
