import { QueryBoolean, QueryInteger, QueryText } from '../common/http/fields.js';
import { QueryId } from '../common/http/paging/filters.js';

export class OverviewEnvironmentsQuery {
  /**
   * Maximum number of environments.
   * @example 12
   */
  @QueryInteger(1, 24)
  limit?: number;

  /** Text that the name contains. */
  @QueryText()
  q?: string;
}

export class OverviewMatrixQuery {
  /**
   * Maximum number of plans.
   * @example 25
   */
  @QueryInteger(1, 100)
  limit?: number;

  /** Text that the name of the plan contains. */
  @QueryText()
  q?: string;

  /** `true`: only plans with an open failure. */
  @QueryBoolean()
  failing?: boolean;
}

export class OverviewTrendsQuery {
  /**
   * Number of days, today included.
   * @example 30
   */
  @QueryInteger(1, 90)
  days?: number;

  @QueryId()
  planId?: string;

  @QueryId()
  environmentId?: string;
}
