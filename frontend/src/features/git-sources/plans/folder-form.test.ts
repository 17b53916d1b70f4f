import { describe, expect, it } from 'vitest';
import { folderFieldOf, folderFormOf, missingFolders, releasedFolders, toFolders } from './folder-form';

const stored = [
  { path: '', collectionId: 'a', setUpBy: { id: 'u', name: 'Ada' } },
  { path: 'plans', collectionId: 'b', setUpBy: null },
];

describe('the form of folders that become plans', () => {
  it('sends what it was given, without slashes at the end', () => {
    expect(toFolders(folderFormOf(stored))).toEqual([
      { path: '', collectionId: 'a' },
      { path: 'plans', collectionId: 'b' },
    ]);
    expect(toFolders({ folders: [{ path: ' deploy/web/ ', collectionId: 'a' }] })).toEqual([
      { path: 'deploy/web', collectionId: 'a' },
    ]);
  });

  it('lists folders whose plans become ordinary plans', () => {
    expect(releasedFolders(stored, folderFormOf(stored))).toEqual([]);
    expect(releasedFolders(stored, { folders: [{ path: '.', collectionId: 'a' }] })).toEqual(['plans']);
    expect(releasedFolders(stored, { folders: [{ path: 'plans/', collectionId: 'c' }] })).toEqual(['']);
  });

  it('asks for a collection, and shows what the server says at the field it is about', () => {
    expect(missingFolders({ folders: [{ path: 'x', collectionId: null }] })).toEqual({
      'folders.0.collectionId': 'Choose a collection.',
    });
    expect(['planFolders.1.path', 'planFolders.0.collectionId', 'planFolders', 'name'].map(folderFieldOf)).toEqual([
      'folders.1.path',
      'folders.0.collectionId',
      null,
      null,
    ]);
  });
});
