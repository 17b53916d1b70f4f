import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { RequiredTextLine } from '../common/http/fields.js';
import { SortBy } from '../common/http/paging/filters.js';
import { PageQuery } from '../common/http/paging/page.dto.js';

export class ListBookmarksQuery extends PageQuery {
  @SortBy(['createdAt', 'name'])
  sort?: string;
}

/** Path within this dashboard, percent-encoded. With `//host` or `/\host`, the browser would leave it. */
const DASHBOARD_PATH = String.raw`^\/(?![\/\\])[!-~]*$`;

export class CreateBookmarkRequest {
  /**
   * Name in lists of favourites and saved filters. Need not be unique.
   * @example "Unreachable in production"
   */
  @RequiredTextLine(200)
  name: string;

  /**
   * Path of the page in the dashboard, with its filters. Each member has at most one bookmark of a path.
   * @example "/servers?state=unreachable"
   */
  @ApiProperty({ pattern: DASHBOARD_PATH })
  @RequiredTextLine(2000)
  @Matches(new RegExp(DASHBOARD_PATH), {
    message: '$property must be the path of a page, such as /servers?state=unreachable',
  })
  path: string;
}
