import type { GitPlanFolder } from '../../../api/types';

/** Folders of a source, as they are typed. */
export interface FolderForm {
  folders: { path: string; collectionId: string | null }[];
}

export const MOST_FOLDERS = 10;

export const folderFormOf = (folders: readonly GitPlanFolder[]): FolderForm => ({
  folders: folders.map(({ path, collectionId }) => ({ path, collectionId })),
});

/** What is missing, by the field that it is missing at. */
export function missingFolders({ folders }: FolderForm): Record<string, string> {
  return Object.fromEntries(
    folders.flatMap(({ collectionId }, index) =>
      collectionId === null ? [[`folders.${index}.collectionId`, 'Choose where its plans lie.']] : [],
    ),
  );
}

export const toFolders = ({ folders }: FolderForm) =>
  folders.map(({ path, collectionId }) => ({
    // A slash at the end is how many people write a folder.
    path: path.trim().replace(/\/+$/, ''),
    collectionId: collectionId ?? '',
  }));

/** The field that shows what the server says of a field of the request; null: none does. */
export const folderFieldOf = (path: string): string | null =>
  /^planFolders\.\d+\.(path|collectionId)$/.test(path) ? path.replace('planFolders', 'folders') : null;

/** Folders whose plans become ordinary ones when this is saved. */
export const releasedFolders = (before: readonly GitPlanFolder[], form: FolderForm): string[] => {
  const kept = new Set(toFolders(form).map(({ path }) => (path === '.' ? '' : path)));
  return before.map(({ path }) => path).filter((path) => !kept.has(path));
};

/** A folder as people say it. */
export const folderName = (path: string): string => path || 'the top of the repository';
