import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes the data folder, for its owner only, where it is missing. Folders above it get the usual mode: with a private
 * one there, the user that runs the embedded database could not reach its files.
 */
export async function makeDataFolder(dataDir: string): Promise<void> {
  await mkdir(dirname(dataDir), { recursive: true });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
}
