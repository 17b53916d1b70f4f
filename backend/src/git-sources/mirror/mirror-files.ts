import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const PACKS = ['objects', 'pack'];

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Includes partial packs. A fetch writes only there. */
export async function packBytes(folder: string): Promise<number> {
  const packs = join(folder, ...PACKS);
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

export const packCount = async (folder: string): Promise<number> =>
  (await readdir(join(folder, ...PACKS)).catch(() => [])).filter((name) => name.endsWith('.pack')).length;

/**
 * Deletes what a killed git left behind: partial packs and lock files of refs. The caller must hold the mirror's lock,
 * so that no running git uses these files.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  const among = async (place: string, recursive = false) =>
    (await readdir(place, { recursive }).catch(() => [])).map((name) => join(place, name));
  const incompletePacks = (await among(join(folder, ...PACKS))).filter((path) => /\/\.?tmp[^/]*$/.test(path));
  const locks = [...(await among(folder)), ...(await among(join(folder, 'refs'), true))];
  for (const path of [...incompletePacks, ...locks.filter((each) => each.endsWith('.lock'))])
    await rm(path, { recursive: true, force: true });
}
