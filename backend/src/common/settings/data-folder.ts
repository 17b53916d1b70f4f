import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates the data folder if missing. Only its owner can read it. Parent folders get the default mode, so that the
 * database user can reach its files.
 */
export async function createDataFolder(dataDir: string): Promise<void> {
  await mkdir(dirname(dataDir), { recursive: true });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
}
