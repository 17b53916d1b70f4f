import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const PACK_FOLDER_PATH = ['objects', 'pack'];

export const pathExists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Includes partial packs. A fetch writes only there. */
export async function countPackBytes(folder: string): Promise<number> {
  const packs = join(folder, ...PACK_FOLDER_PATH);
  const names = await readdir(packs).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(packs, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

export const countPacks = async (folder: string): Promise<number> =>
  (await readdir(join(folder, ...PACK_FOLDER_PATH)).catch(() => [])).filter((name) => name.endsWith('.pack')).length;

/**
 * Deletes what a killed git left behind: partial packs and lock files of refs. The caller must hold the mirror's lock,
 * so that no running git uses these files.
 */
export async function removeGitLeftovers(folder: string): Promise<void> {
  const among = async (place: string, recursive = false) =>
    (await readdir(place, { recursive }).catch(() => [])).map((name) => join(place, name));
  const incompletePacks = (await among(join(folder, ...PACK_FOLDER_PATH))).filter((path) =>
    /\/\.?tmp[^/]*$/.test(path),
  );
  const locks = [...(await among(folder)), ...(await among(join(folder, 'refs'), true))];
  for (const path of [...incompletePacks, ...locks.filter((each) => each.endsWith('.lock'))])
    await rm(path, { recursive: true, force: true });
}
