import { MaybeInstant, QueryInt, QueryText } from '../common/http/fields.js';
import { QueryId, QueryWord, SortBy } from '../common/http/paging/filters.js';

/** Which entries of the audit trail. */
export class AuditFilterQuery {
  /** Who did it. */
  @QueryId()
  actorId?: string;

  /**
   * What was done: `resource.verb`.
   * @example "server.update"
   */
  @QueryWord(/^[a-z_]+\.[a-z_]+$/, 'server.update')
  action?: string;

  /** @example "server" */
  @QueryWord(/^[a-z_]+$/, 'server')
  resourceType?: string;

  @QueryId()
  resourceId?: string;

  /** Happened at or after. */
  @MaybeInstant()
  from?: string;

  /** Happened before. */
  @MaybeInstant()
  to?: string;
}

/** A page of the entries that the filter leaves, newest first. */
export class ListAuditLogsQuery extends AuditFilterQuery {
  @SortBy(['at'], '-at')
  sort?: string;

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
