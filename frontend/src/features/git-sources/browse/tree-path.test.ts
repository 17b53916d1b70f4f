import { describe, expect, it } from 'vitest';
import { folderPlaces, parentOf } from './tree-path';

describe('the way to an entry of a repository', () => {
  it('begins at the top and ends at the entry', () => {
    expect(folderPlaces('')).toEqual([{ name: 'Root', path: '', last: true }]);
    expect(folderPlaces('roles/web/nginx.conf')).toEqual([
      { name: 'Root', path: '', last: false },
      { name: 'roles', path: 'roles', last: false },
      { name: 'web', path: 'roles/web', last: false },
      { name: 'nginx.conf', path: 'roles/web/nginx.conf', last: true },
    ]);
  });

  it('leads back to the folder of a file', () => {
    expect(parentOf('roles/web/nginx.conf')).toBe('roles/web');
    expect(parentOf('nginx.conf')).toBe('');
  });
});
