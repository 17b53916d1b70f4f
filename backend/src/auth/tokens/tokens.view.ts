import { ApiProperty } from '@nestjs/swagger';
import type { ApiToken } from './api-token.entity.js';
import { TokenScopeView, toTokenScopeView } from './token-scope.view.js';
import { UserReference } from '../../common/http/user-reference.view.js';

/** A token without its value (spec, Token). */
export class TokenView {
  id: string;
  /**
   * Name that its owner chose. Unique among the active tokens of the member, regardless of case.
   * @example "deploy pipeline"
   */
  name: string;
  /** Visible beginning of the token's value. */
  prefix: string;
  /** Member as which the token acts. */
  user: UserReference;
  /** Token that created this one; revoking it also revokes this one. */
  parentId: string | null;
  /** Limits compared with its member; null: none. */
  @ApiProperty({ type: TokenScopeView, nullable: true })
  scope: TokenScopeView | null;
  /** Whether it was issued for a token of an identity provider, or created with one that was. */
  exchanged: boolean;
  /** To the minute. */
  lastUsedAt: string | null;
  /** IP address of the last request with the token; null = never used. */
  lastUsedAddress: string | null;
  /** Time from which the token is refused, in UTC; null = no expiry. */
  expiresAt: string | null;
  createdAt: string;
  revokedAt: string | null;
  /**
   * Number of runs that were started with it or its descendants and have not begun: revoking it cancels them. Absent in
   * the response to its creation.
   */
  waitingRuns?: number;
}

/** Response to a token's creation: the only one with its value. */
export class CreatedTokenView extends TokenView {
  /** Full value, which can't be shown again. Absent in the answer to a repeated `Idempotency-Key`. */
  token?: string;
}

export class TokenListView {
  @ApiProperty({ type: [TokenView] })
  items: TokenView[];
  nextCursor: string | null;
}

export const toTokenView = (token: ApiToken, user: UserReference): TokenView => ({
  id: token.id,
  name: token.name,
  prefix: token.prefix,
  user: { id: user.id, name: user.name },
  parentId: token.parentTokenId,
  scope: toTokenScopeView(token),
  exchanged: token.exchanged,
  lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  lastUsedAddress: token.lastUsedAddress,
  expiresAt: token.expiresAt?.toISOString() ?? null,
  createdAt: token.createdAt.toISOString(),
  revokedAt: token.revokedAt?.toISOString() ?? null,
});
