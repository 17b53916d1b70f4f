/** Folder of an entry; empty: the root. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export interface FolderPlace {
  name: string;
  /** Path from the root; empty: the root. */
  path: string;
  last: boolean;
}

/** Path entries from the root to an entry, both included. */
export function folderPlaces(path: string): FolderPlace[] {
  const names = path === '' ? [] : path.split('/');
  return ['Root', ...names].map((name, depth) => ({
    name,
    path: names.slice(0, depth).join('/'),
    last: depth === names.length,
  }));
}
