import { ApiProperty } from '@nestjs/swagger';
import type { ApiToken } from './api-token.entity.js';
import { TokenScopeView, toTokenScopeView } from './token-scope.view.js';

/** The member as whom a token acts. */
export class TokenUserRef {
  id: string;
  name: string;
}

/** A token as it can be seen at any time: never its value (spec, Token). */
export class TokenView {
  id: string;
  /** @example "deploy pipeline" */
  name: string;
  /** The visible beginning of the token's value. */
  prefix: string;
  user: TokenUserRef;
  /** The token that this one was made with and dies with. */
  parentId: string | null;
  /** What it may do less than its member; null: nothing. */
  @ApiProperty({ type: TokenScopeView, nullable: true })
  scope: TokenScopeView | null;
  /** Whether it was given in exchange for a token of an identity provider, or made with one that was. */
  exchanged: boolean;
  /** To the minute. */
  lastUsedAt: string | null;
  lastUsedAddress: string | null;
  expiresAt: string | null;
  createdAt: string;
  revokedAt: string | null;
  /** Number of runs that were started with it, or with tokens made with it, and have not begun: revoking it cancels them. Absent in the answer to its creation. */
  waitingRuns?: number;
}

/** The answer to a token's creation: the only time its value is shown. */
export class CreatedTokenView extends TokenView {
  /** The full value. It is not kept and can't be shown again. */
  token: string;
}

export class TokenListView {
  @ApiProperty({ type: [TokenView] })
  items: TokenView[];
  nextCursor: string | null;
}

export const toTokenView = (token: ApiToken, user: TokenUserRef): TokenView => ({
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
