import { ApiProperty } from '@nestjs/swagger';
import type { Bookmark } from './bookmark.entity.js';

/** Page of the dashboard that you have marked: a favourite, or a list with saved filters. */
export class BookmarkView {
  id: string;
  name: string;
  /**
   * Path of the page in the dashboard, with its filters.
   * @example "/servers?state=unreachable"
   */
  path: string;
  createdAt: string;
}

export class BookmarkListView {
  @ApiProperty({ type: [BookmarkView] })
  items: BookmarkView[];
  nextCursor: string | null;
}

export const toBookmarkView = ({ id, name, path, createdAt }: Bookmark): BookmarkView => ({
  id,
  name,
  path,
  createdAt: createdAt.toISOString(),
});
