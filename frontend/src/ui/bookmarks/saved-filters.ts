import type { Bookmark } from '../../api/types';

/** Returns bookmarks of the list at this path with any filters. */
export const filtersOfPage = (bookmarks: readonly Bookmark[], page: string): Bookmark[] =>
  bookmarks.filter(({ path }) => path.startsWith(`${page}?`));

/** Returns bookmarks of single records, as opposed to saved filters. */
export const favouritesOf = (bookmarks: readonly Bookmark[]): Bookmark[] =>
  bookmarks.filter(({ path }) => !path.includes('?'));
