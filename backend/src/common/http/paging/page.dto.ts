import { QueryInteger, QueryText } from '../fields.js';
import { QueryName, SortBy } from './filters.js';

/** Query parameters of every list. */
export class PageQuery {
  /**
   * Maximum number of items.
   * @example 50
   */
  @QueryInteger(1, 200)
  limit?: number;

  /** `nextCursor` of the previous page. A page with fewer items than `limit` can also have one. */
  @QueryText(500)
  cursor?: string;
}

/** Query parameters of a list of named records. */
export class NamedListQuery extends PageQuery {
  @SortBy(['name', 'createdAt', 'updatedAt'])
  sort?: string;

  @QueryName()
  name?: string;

  /** Text that the name contains. */
  @QueryText()
  q?: string;
}

/** Query parameters of a list of revisions. */
export class ListRevisionsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;
}
