/** The folder that an entry is in; empty: the top. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export interface FolderPlace {
  name: string;
  /** From the top; empty: the top itself. */
  path: string;
  last: boolean;
}

/** The way from the top of a repository to an entry, both included. */
export function folderPlaces(path: string): FolderPlace[] {
  const names = path === '' ? [] : path.split('/');
  return ['Top', ...names].map((name, depth) => ({
    name,
    path: names.slice(0, depth).join('/'),
    last: depth === names.length,
  }));
}
