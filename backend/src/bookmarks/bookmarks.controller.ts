import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '../common/access/policy.js';
import { Caller, type Principal } from '../common/access/principal.js';
import { Route } from '../common/http/route.js';
import { CreateBookmarkRequest, ListBookmarksQuery } from './bookmarks.dto.js';
import { BookmarksService } from './bookmarks.service.js';
import { BookmarkListView, BookmarkView } from './bookmarks.view.js';

/** The caller's own bookmarks. */
@ApiTags('Bookmarks')
@Controller('api/bookmarks')
export class BookmarksController {
  constructor(private readonly bookmarks: BookmarksService) {}

  @Get()
  @Requires('viewer')
  @Route({ id: 'listBookmarks', summary: 'List your bookmarks', answer: BookmarkListView, problems: [400] })
  list(@Caller() caller: Principal, @Query() query: ListBookmarksQuery): Promise<BookmarkListView> {
    return this.bookmarks.list(caller, query);
  }

  @Post()
  @Requires('viewer')
  @Route({
    id: 'createBookmark',
    summary: 'Create a bookmark',
    description: 'Marks a page of the dashboard as a favourite, or saves the filters of a list. Only you see it.',
    answer: BookmarkView,
    status: 201,
    problems: [400, 409, 413, 415, 422],
  })
  create(@Caller() caller: Principal, @Body() body: CreateBookmarkRequest): Promise<BookmarkView> {
    return this.bookmarks.create(caller, body);
  }

  @Delete(':id')
  @Requires('viewer')
  @Route({ id: 'deleteBookmark', summary: 'Delete one of your bookmarks', answer: null, problems: [404] })
  delete(@Caller() caller: Principal, @Param('id') id: string): Promise<void> {
    return this.bookmarks.delete(caller, id);
  }
}
