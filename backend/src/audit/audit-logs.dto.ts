import { OptionalInstant, QueryInteger, QueryText } from '../common/http/fields.js';
import { QueryId, QueryPattern, SortBy } from '../common/http/paging/filters.js';

/** Filters of the audit trail. */
export class AuditFilterQuery {
  /** Member who made the change. */
  @QueryId()
  actorId?: string;

  /**
   * Action: `resource.verb`.
   * @example "server.update"
   */
  @QueryPattern(/^[a-z_]+\.[a-z_]+$/, 'server.update')
  action?: string;

  /** @example "server" */
  @QueryPattern(/^[a-z_]+$/, 'server')
  resourceType?: string;

  @QueryId()
  resourceId?: string;

  /** Entries at or after this time. */
  @OptionalInstant()
  from?: string;

  /** Entries before this time. */
  @OptionalInstant()
  to?: string;
}

/** Page of matching entries, newest first. */
export class ListAuditLogsQuery extends AuditFilterQuery {
  @SortBy(['at'], '-at')
  sort?: string;

  /**
   * Maximum number of items.
   * @example 50
   */
  @QueryInteger(1, 200)
  limit?: number;

  /** `nextCursor` of the previous page. A page with fewer items than `limit` can also have a `nextCursor`. */
  @QueryText(500)
  cursor?: string;
}
