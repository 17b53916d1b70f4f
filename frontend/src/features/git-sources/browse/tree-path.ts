export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export interface FolderPlace {
  name: string;
  path: string;
  last: boolean;
}

export function folderPlaces(path: string): FolderPlace[] {
  const names = path === '' ? [] : path.split('/');
  return ['Root', ...names].map((name, depth) => ({
    name,
    path: names.slice(0, depth).join('/'),
    last: depth === names.length,
  }));
}
