import type { GitPlanFolder } from '../../../api/types';

export interface FolderForm {
  folders: { path: string; collectionId: string | null }[];
}

export const MAX_FOLDERS = 10;

export const folderFormOf = (folders: readonly GitPlanFolder[]): FolderForm => ({
  folders: folders.map(({ path, collectionId }) => ({ path, collectionId })),
});

export function missingFolders({ folders }: FolderForm): Record<string, string> {
  return Object.fromEntries(
    folders.flatMap(({ collectionId }, index) =>
      collectionId === null ? [[`folders.${index}.collectionId`, 'Choose a collection.']] : [],
    ),
  );
}

export const toFolders = ({ folders }: FolderForm) =>
  folders.map(({ path, collectionId }) => ({
    path: path.trim().replace(/\/+$/, ''),
    collectionId: collectionId ?? '',
  }));

/** Returns the form field for an error at `path` of the request; null: none. */
export const folderFieldOf = (path: string): string | null =>
  /^planFolders\.\d+\.(path|collectionId)$/.test(path) ? path.replace('planFolders', 'folders') : null;

/** Returns the removed folders, whose plans become ordinary plans on save. */
export const releasedFolders = (before: readonly GitPlanFolder[], form: FolderForm): string[] => {
  const kept = new Set(toFolders(form).map(({ path }) => (path === '.' ? '' : path)));
  return before.map(({ path }) => path).filter((path) => !kept.has(path));
};

export const folderName = (path: string): string => path || 'the root of the repository';
