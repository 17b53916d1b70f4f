import type { EntityManager } from 'typeorm';
import { row, sql } from '../../common/database/sql.js';
import type { StatusReason } from '../lifecycle/run-state.js';
import type { RunHead, TokenEndReason } from './run-head.js';

const TOKEN_END_TEXTS: Readonly<Record<TokenEndReason, string>> = {
  revoked: 'The API token that started it was revoked, or its trust rule has ended.',
  removed: 'The API token that started it was removed.',
  disabled: 'The service account that started it was disabled.',
  expired: 'The API token that started it expired before the run began.',
};

export const toTokenEndReason = (end: TokenEndReason): StatusReason => ({
  code: 'token_ended',
  text: `${TOKEN_END_TEXTS[end]} Nothing was run. Start it again with a valid token.`,
});

/**
 * Returns why a run in which no step has begun ends with its token; null = the token is valid. Locks the token against
 * revocation and deletion until the transaction ends. So no run of a token begins after its revocation was confirmed.
 */
export async function findTokenEnd(
  tx: EntityManager,
  tenantId: string,
  { token_end, unbegun_token }: Pick<RunHead, 'token_end' | 'unbegun_token'>,
): Promise<TokenEndReason | null> {
  if (token_end || unbegun_token === null) return token_end;
  const token = await row(
    tx,
    sql<{ revoked: boolean }>`select revoked_at is not null as revoked from api_tokens
      where tenant_id = ${tenantId} and prefix = ${unbegun_token} for key share`,
  );
  return token ? (token.revoked ? 'revoked' : null) : 'removed';
}
