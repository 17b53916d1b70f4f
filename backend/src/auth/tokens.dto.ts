import { IsISO8601 } from 'class-validator';
import { Maybe, Text } from '../common/http/fields.js';
import { QueryId, SortBy } from '../common/http/filters.js';
import { PageQuery } from '../common/http/page.dto.js';

export class CreateTokenRequest {
  /** @example "deploy pipeline" */
  @Text(100)
  name: string;

  /**
   * When the token ends, UTC. Absent: never, or with the token that this one is made with, which it can't outlive.
   * @example "2027-01-01T00:00:00.000Z"
   */
  @Maybe()
  @IsISO8601(
    { strict: true, strictSeparator: true },
    { message: 'expiresAt must be an ISO 8601 time such as 2027-01-01T00:00:00Z' },
  )
  expiresAt?: string;
}

export class ListTokensQuery extends PageQuery {
  @SortBy(['name', 'createdAt'])
  sort?: string;

  /** Another member, for admins. Absent: the caller. */
  @QueryId()
  userId?: string;
}
