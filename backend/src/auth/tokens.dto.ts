import { Instant, QueryText, Text } from '../common/http/fields.js';
import { PageQuery } from '../common/http/page.dto.js';

export class CreateTokenRequest {
  /** @example "deploy pipeline" */
  @Text(100)
  name: string;

  /**
   * When the token ends. Absent: never, or with the token that this one is made with, which it can't outlive.
   * @example "2027-01-01T00:00:00.000Z"
   */
  @Instant()
  expiresAt?: string;
}

export class ListTokensQuery extends PageQuery {
  /** Another member, for admins. Absent: the caller. */
  @QueryText()
  userId?: string;
}
