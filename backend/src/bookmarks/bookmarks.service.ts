import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { row, sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict, notFound } from '../common/errors/problem.js';
import type { Page } from '../common/http/paging/page.js';
import { readPage } from '../common/http/paging/sorted-page.js';
import { isId, newId } from '../common/ids.js';
import { Bookmark } from './bookmark.entity.js';
import type { CreateBookmarkRequest, ListBookmarksQuery } from './bookmarks.dto.js';
import { type BookmarkView, toBookmarkView } from './bookmarks.view.js';

/** Maximum number of bookmarks of a member. */
export const MAX_BOOKMARKS = 200;

const SORT_COLUMNS = { name: { column: 'name', kind: 'text' } } as const;

/** Bookmarks of the caller. They affect nobody else, so the audit trail has no entries for them. */
@Injectable()
export class BookmarksService {
  constructor(private readonly units: UnitOfWork) {}

  list({ tenantId, userId }: Principal, query: ListBookmarksQuery): Promise<Page<BookmarkView>> {
    return this.units.run(tenantId, (tx) => {
      const select = tx
        .getRepository(Bookmark)
        .createQueryBuilder('bookmark')
        .where('bookmark.tenantId = :tenantId and bookmark.userId = :userId', { tenantId, userId });
      return readPage(select, query, toBookmarkView, SORT_COLUMNS);
    });
  }

  /** @throws Problem 409 `bookmark_exists`, `too_many_bookmarks` */
  create({ tenantId, userId }: Principal, { name, path }: CreateBookmarkRequest): Promise<BookmarkView> {
    const id = newId();
    return this.units.run(tenantId, async (tx) => {
      await row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`bookmarks ${userId}`}, 0))`);
      const bookmarks = tx.getRepository(Bookmark);
      const same = await bookmarks.findOneBy({ tenantId, userId, path });
      if (same)
        throw conflict(
          'bookmark_exists',
          `You have already marked this page, as “${same.name}”. Delete that one first.`,
        );
      if ((await bookmarks.countBy({ tenantId, userId })) >= MAX_BOOKMARKS)
        throw conflict(
          'too_many_bookmarks',
          `You have ${MAX_BOOKMARKS} bookmarks, which is the limit. Delete one that you no longer need.`,
        );
      await bookmarks.insert({ id, tenantId, userId, name, path });
      return toBookmarkView(await bookmarks.findOneByOrFail({ tenantId, id }));
    });
  }

  /** @throws Problem 404 if the caller has no such bookmark */
  delete({ tenantId, userId }: Principal, id: string): Promise<void> {
    return this.units.run(tenantId, async (tx) => {
      const deleted = isId(id) ? await tx.getRepository(Bookmark).delete({ tenantId, userId, id }) : null;
      if (!deleted?.affected) throw notFound();
    });
  }
}
