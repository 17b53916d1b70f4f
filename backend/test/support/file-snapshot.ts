import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';

/**
 * Lists a folder, one line per file: path, kind, mode, owner, group, size, times of the last change of content and
 * metadata, and a hash of the content.
 * @param owner lists only files of this user, for shared folders
 */
export async function snapshotOf(folder: string, owner?: number): Promise<string[]> {
  const lines: string[] = [];
  await visit(folder, owner, lines);
  return lines.sort();
}

async function visit(place: string, owner: number | undefined, lines: string[]): Promise<void> {
  const found = await lstat(place).catch(() => null);
  if (!found) return;
  if (owner === undefined || found.uid === owner) {
    const kind = found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : found.isFile() ? 'file' : 'other';
    const content =
      kind === 'file'
        ? createHash('sha256')
            .update(await readFile(place))
            .digest('hex')
        : kind === 'link'
          ? await readlink(place)
          : '';
    const { mode, uid, gid, size, mtimeMs, ctimeMs } = found;
    lines.push([place, kind, mode.toString(8), uid, gid, size, mtimeMs, ctimeMs, content].join(' '));
  }
  if (!found.isDirectory()) return;
  for (const name of await readdir(place).catch(() => [])) await visit(path.join(place, name), owner, lines);
}
