import { IsOptionalField, OptionalInstant, NestedObject, RequiredTextLine } from '../../common/http/fields.js';
import { QueryId, SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { TokenScopeRequest } from './token-scope.dto.js';

export class CreateTokenRequest {
  /**
   * Purpose of the token. Unique among the active tokens of the member, regardless of case.
   * @example "deploy pipeline"
   */
  @RequiredTextLine(100)
  name: string;

  /**
   * Expiry. Absent: never, or that of the token that creates this one, which it can't outlive.
   * @example "2027-01-01T00:00:00.000Z"
   */
  @OptionalInstant()
  expiresAt?: string;

  /** Limits compared with its member. Absent: none, or those of the token that creates this one. */
  @IsOptionalField()
  @NestedObject(() => TokenScopeRequest)
  scope?: TokenScopeRequest;
}

export class ListTokensQuery extends PageQuery {
  @SortBy(['name', 'createdAt'])
  sort?: string;

  /** Another member, for admins. Absent: the caller. */
  @QueryId()
  userId?: string;
}
