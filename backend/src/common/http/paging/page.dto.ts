import { QueryInt, QueryText } from '../fields.js';

/** Query parameters of every list. */
export class PageQuery {
  /**
   * How many items at the most.
   * @example 50
   */
  @QueryInt(1, 200)
  limit?: number;

  /** Where to go on: the `nextCursor` of the page before. */
  @QueryText(500)
  cursor?: string;
}
