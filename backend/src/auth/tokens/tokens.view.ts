import { ApiProperty } from '@nestjs/swagger';
import type { ApiToken } from './api-token.entity.js';

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
  /** To the minute. */
  lastUsedAt: string | null;
  lastUsedAddress: string | null;
  expiresAt: string | null;
  createdAt: string;
  revokedAt: string | null;
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
  lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  lastUsedAddress: token.lastUsedAddress,
  expiresAt: token.expiresAt?.toISOString() ?? null,
  createdAt: token.createdAt.toISOString(),
  revokedAt: token.revokedAt?.toISOString() ?? null,
});
