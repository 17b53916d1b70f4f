import { ApiProperty } from '@nestjs/swagger';
import { type CallerLimits, TOKEN_ACCESS, type TokenAccess } from '../../common/access/caller-limits.js';
import type { ApiToken } from './api-token.entity.js';

/** Restrictions of a token, compared with its member. */
export class TokenScopeView {
  @ApiProperty({ enum: TOKEN_ACCESS })
  access: TokenAccess;
  /**
   * Absent: all that the member can see; never absent with `planIds`. Empty: the token reaches no environment. Its
   * plans have no environment, and the token was created before environments were required.
   */
  @ApiProperty({ required: false, type: [String] })
  environmentIds?: readonly string[];
  /** Absent: all that the member can see. */
  @ApiProperty({ required: false, type: [String] })
  planIds?: readonly string[];
}

/** Returns null for a token with all rights of its member. */
export function toTokenScopeView({
  access,
  environmentIds,
  planIds,
}: Pick<ApiToken, 'access' | 'environmentIds' | 'planIds'>): TokenScopeView | null {
  if (access === 'all' && !environmentIds && !planIds) return null;
  return { access, ...(environmentIds ? { environmentIds } : {}), ...(planIds ? { planIds } : {}) };
}

/** Returns the scope of a caller; null: all rights of the member. */
export const toCallerScopeView = (limits: CallerLimits | null): TokenScopeView | null =>
  toTokenScopeView({
    access: limits?.access ?? 'all',
    environmentIds: limits?.environmentIds ? [...limits.environmentIds] : null,
    planIds: limits?.planIds ? [...limits.planIds] : null,
  });
