import { Instant, QueryInt, QueryText } from '../common/http/fields.js';

/** Which entries of the audit trail. */
export class AuditFilterQuery {
  /** Who did it. */
  @QueryText(64)
  actorId?: string;

  /**
   * What was done: `resource.verb`.
   * @example "server.update"
   */
  @QueryText(100)
  action?: string;

  /** @example "server" */
  @QueryText(100)
  resourceType?: string;

  @QueryText(64)
  resourceId?: string;

  /** Happened at or after. */
  @Instant()
  from?: string;

  /** Happened before. */
  @Instant()
  to?: string;
}

/** A page of the entries that the filter leaves, newest first. */
export class ListAuditLogsQuery extends AuditFilterQuery {
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
