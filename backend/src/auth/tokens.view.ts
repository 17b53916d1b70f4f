import type { ApiToken } from './api-token.entity.js';

/** A token as it can be seen at any time: never its value (spec, Token). */
export class TokenView {
  id: string;
  /** @example "deploy pipeline" */
  name: string;
  /** The visible beginning of the token's value. */
  prefix: string;
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
  items: TokenView[];
  nextCursor: string | null;
}

export const toTokenView = (token: ApiToken): TokenView => ({
  id: token.id,
  name: token.name,
  prefix: token.prefix,
  lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  lastUsedAddress: token.lastUsedAddress,
  expiresAt: token.expiresAt?.toISOString() ?? null,
  createdAt: token.createdAt.toISOString(),
  revokedAt: token.revokedAt?.toISOString() ?? null,
});
