import { QueryInt, QueryText } from '../fields.js';
import { QueryName, SortBy } from './filters.js';

/** Query parameters of every list. */
export class PageQuery {
  /**
   * How many items at the most.
   * @example 50
   */
  @QueryInt(1, 200)
  limit?: number;

  /** Where to go on: the `nextCursor` of the page before. A page with fewer items than `limit` may have one too. */
  @QueryText(500)
  cursor?: string;
}

/** Query parameters of a list of records that have names. */
export class NamedListQuery extends PageQuery {
  @SortBy(['name', 'createdAt', 'updatedAt'])
  sort?: string;

  @QueryName()
  name?: string;

  /** Part of the name. */
  @QueryText()
  q?: string;
}

/** Query parameters of the list of a record's revisions. */
export class ListRevisionsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;
}
